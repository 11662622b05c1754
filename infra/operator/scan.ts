// Reads the whole table. Only the operator may: no function of the service has the permission.
import type { ScanInput } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { itemOf, type TableClient } from '../../shared/table/client.ts'
import type { Item } from '../../shared/table/design.ts'
import { retrying } from '../../shared/table/retrying.ts'

/** Few enough that the reads that follow for each item may run at the same time. */
const ITEMS_AT_ONCE = 200

/** Without a limit dynoxide reads all remaining items for each page, so a scan would take quadratic time. */
const MAX_PAGE = 1_000
const MIN_PAGE = 10

/** Yields every item that exists during the whole scan, in no order. Reads the next page in the meantime. */
export async function* scan(
  { call }: Pick<TableClient, 'call'>,
  TableName: string,
): AsyncGenerator<Item[], void, void> {
  const read = (limit: number, start?: ScanInput['ExclusiveStartKey']) =>
    retrying(() => call('Scan', { TableName, ConsistentRead: true, Limit: limit, ExclusiveStartKey: start }))
  let limit = MAX_PAGE
  let page = read(limit)
  for (;;) {
    const { Items = [], LastEvaluatedKey } = await page
    // A page ends at 1 MB. The emulator reads as many items as the limit, even if they are large.
    limit = Math.min(MAX_PAGE, Math.max(MIN_PAGE, 2 * Items.length))
    const next = LastEvaluatedKey && read(limit, LastEvaluatedKey)
    // A failure is thrown where the page is awaited, unless the caller has stopped before.
    next?.catch(() => undefined)
    for (let n = 0; n < Items.length; n += ITEMS_AT_ONCE) {
      yield Items.slice(n, n + ITEMS_AT_ONCE).map(item => itemOf(unmarshall(item)))
    }
    if (!next) return
    page = next
  }
}
