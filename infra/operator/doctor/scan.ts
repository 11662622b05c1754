// Reads the whole table. Only the operator may: no function of the service has the permission.
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { type Item, itemOf } from '../../../shared/table/key.ts'

/** Few enough that the reads that follow for each item may run at the same time. */
const ITEMS_AT_ONCE = 200

/** Yields every item that exists during the whole scan, in no order. */
export async function* scan(
  documents: DynamoDBDocumentClient,
  TableName: string,
): AsyncGenerator<Item[], void, void> {
  let start: Record<string, unknown> | undefined
  do {
    const { Items = [], LastEvaluatedKey } = await documents.send(
      new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey: start }),
    )
    for (let n = 0; n < Items.length; n += ITEMS_AT_ONCE) {
      yield Items.slice(n, n + ITEMS_AT_ONCE).map(itemOf)
    }
    start = LastEvaluatedKey
  } while (start)
}
