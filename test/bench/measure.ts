// Measures the costs of all requests on a loaded site.
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import type { Table } from '../../shared/table/client.ts'
import { type Cost, countRow } from './count.ts'
import { countChanges } from './count-changes.ts'
import { countFollowed } from './count-followed.ts'
import { countWrites } from './count-writes.ts'
import type { CountedService } from './counted-service.ts'
import { COMMENTED_POST } from './load.ts'
import { rowsFor, type Targets } from './rows.ts'
import type { Site } from './site.ts'

/** Creates an admin's token, and names a post, a page and a category of the site that have content. */
export async function createTargets(table: Table, site: Site, nowSeconds: number): Promise<Targets> {
  const { action, text } = await newToken(
    table,
    { user_id: 1, name: 'bench', abilities: ['admin'] },
    nowSeconds,
  )
  await table.transact([action])
  return {
    id: COMMENTED_POST,
    slug: site.post(COMMENTED_POST).input.slug,
    page: site.post(100).input.slug,
    category: 'category-1',
    token: text,
    words: site.post(COMMENTED_POST).words,
  }
}

/** `lives` is the number of posts that are created, changed and deleted. */
export async function measureSite(
  service: CountedService,
  site: Site,
  lives: number,
): Promise<Map<string, Cost>> {
  const targets = await createTargets(service.table, site, service.nowSeconds)
  const costs = new Map<string, Cost>()
  for (const row of rowsFor(targets)) costs.set(row.name, await countRow(service, row))
  const { token } = targets
  const writes = await countWrites(service, { token, slug: `measured-${Date.now()}`, lives })
  const followed = await countFollowed(service, token, Math.ceil(lives / 4))
  const changes = await countChanges(service, targets)
  return new Map([...costs, ...writes, ...followed, ...changes])
}
