// The id of a site: a random name that its exports contain.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { ignoreConditionFailed, isNew } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { siteIdKey } from '../table/design.ts'

const SiteId = z.object({ id: z.string() })

export async function findSiteId(table: Table): Promise<string | undefined> {
  return (await table.find(siteIdKey, SiteId))?.id
}

/** Gives the site an id if it has none. */
export async function ensureSiteId(table: Table): Promise<string> {
  const id = await findSiteId(table)
  if (id !== undefined) return id
  const Put = { Item: { ...siteIdKey, id: randomUUID() }, ...isNew }
  await table.write({ Put }).catch(ignoreConditionFailed)
  return await ensureSiteId(table)
}
