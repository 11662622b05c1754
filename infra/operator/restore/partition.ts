// What the comparisons of a restored table with the old ones share: the old tables, and pages of a partition.
import * as z from 'zod/mini'
import type { Table } from '../../../shared/table/client.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Target } from '../target.ts'

/** A table that gave ids and sent messages since the moment. */
export type OldTable = Pick<Target, 'table' | 'client' | 'tableName'>

/** Clocks of functions differ. No restored table is in use so soon after its moment. */
export const CLOCKS_DIFFER_MS = 60_000
const PAGE = 500

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })

export async function* pagesOf(table: Table, pk: string, since = ''): AsyncGenerator<Item[], void, void> {
  for (let from = since; ; ) {
    const page = await table.query({ pk, limit: PAGE, ...(from && { from }) }, AnyItem)
    yield page
    const last = page.at(-1)
    if (page.length < PAGE || !last) return
    from = `${last.sk}~`
  }
}
