// A fingerprint of the storage format: when it changes, a cached site has to be loaded again.
import { createHash } from 'node:crypto'
import { openTable } from '../../shared/table/client.ts'
import type { Item } from '../../shared/table/key.ts'
import { startTable } from '../world/table.ts'
import { loadSite } from './load.ts'
import { openSite } from './site.ts'

const COUNT = 100
/** Small nodes, so that few posts already have lists with several inner nodes. */
const SMALL = { range: 4, node: 4 }
const RANDOM = new Set(['stamp', 'place', 'last_change'])
/** Also revisions that are no numbers, and the keys of places in the feed. */
function isRandom(name: string, value: unknown, item: Item): boolean {
  if (name === 'sk') return value === String(item.place)
  return RANDOM.has(name) || (name === 'revision' && typeof value === 'string')
}

/** A hash of the items of a small site; it changes only when the stored items do. */
export async function fingerprint(seed: number, count = COUNT): Promise<string> {
  const world = await startTable()
  try {
    await loadSite(openTable(world.client, world.tableName, SMALL), openSite({ count, seed }))
    const items = (await world.dump()).map(canonical).sort()
    return createHash('sha256').update(items.join('\n')).digest('hex').slice(0, 12)
  } finally {
    await world.stop()
  }
}

function canonical(item: Item): string {
  return JSON.stringify(item, (name, value: unknown) => {
    if (isRandom(name, value, item)) return undefined
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
    return isPlain(value) ? Object.fromEntries(Object.entries(value).sort()) : value
  })
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
