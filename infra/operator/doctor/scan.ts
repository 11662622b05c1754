// Reading all there is. The doctor is the only one who does: no function of the service is allowed to.
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { type Item, itemOf } from '../../../shared/table/key.ts'

/** Few enough for the reads that follow from them to go side by side. */
const AT_ONCE = 200

/** Every item that is there all the while, in no order, some dozens at a time. */
export async function* scan(
  documents: DynamoDBDocumentClient,
  TableName: string,
): AsyncGenerator<Item[], void, void> {
  let start: Record<string, unknown> | undefined
  do {
    const { Items = [], LastEvaluatedKey } = await documents.send(
      new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey: start }),
    )
    for (let n = 0; n < Items.length; n += AT_ONCE) yield Items.slice(n, n + AT_ONCE).map(itemOf)
    start = LastEvaluatedKey
  } while (start)
}
