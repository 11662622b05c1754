// All costs of a loaded site, by row.
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import type { Table } from '../../shared/table/client.ts'
import { type Cost, countRow } from './count.ts'
import { countWrites } from './count-writes.ts'
import type { CountedService } from './counted-service.ts'
import { TALKED_OF } from './load.ts'
import { type Known, rowsFor } from './rows.ts'
import type { Site } from './site.ts'

/** An admin's token, and a post, a page and a category of the site that all have something to show. */
export async function knownOf(table: Table, site: Site, nowSeconds: number): Promise<Known> {
  const { action, text } = await newToken(
    table,
    { user_id: 1, name: 'bench', abilities: ['admin'] },
    nowSeconds,
  )
  await table.transact([action])
  return {
    id: TALKED_OF,
    slug: site.post(TALKED_OF).input.slug,
    page: site.post(100).input.slug,
    category: 'category-1',
    token: text,
    words: site.post(TALKED_OF).words,
  }
}

/** `lives`: of posts that are made, changed and deleted. */
export async function measureSite(
  service: CountedService,
  site: Site,
  lives: number,
): Promise<Map<string, Cost>> {
  const known = await knownOf(service.table, site, service.nowSeconds)
  const costs = new Map<string, Cost>()
  for (const row of rowsFor(known)) costs.set(row.name, await countRow(service, row))
  const writes = await countWrites(service, { token: known.token, slug: `measured-${Date.now()}`, lives })
  return new Map([...costs, ...writes])
}
