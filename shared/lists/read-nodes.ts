// Reads the nodes that a change of counted lists is planned with: roots, and the inner nodes of its entries.
import { approximateBytes, openByteCache } from '../cache/byte-cache.ts'
import type { Table } from '../table/client.ts'
import { innerNodeKey } from '../table/design.ts'
import type { Item, Key } from '../table/key.ts'
import { perTable } from '../table/per-table.ts'
import { type Child, childAt, isWithin } from './children.ts'
import { type InnerNode, innerNodeSchema, type List, type Root, rootSchema } from './list.ts'

/** Where an entry of a list is, or is to be. */
export type Place = { list: List; order: string }

/** Roots and inner nodes as they were read, by key: undefined for one that does not exist. */
export type NodeItems = ReadonlyMap<string, Item | undefined>

/** The roots by the names of their lists, and the inner nodes by list and start. */
export type Nodes = {
  roots: Map<string, Root>
  innerNodeOf: (list: List, from: string) => InnerNode | undefined
}

const MAX_BYTES = 1_000_000
/**
 * The inner nodes that each list's root last named. They only decide what is read together with the root: the
 * root that was read decides which inner node is used.
 */
const rememberedOf = perTable(() => openByteCache<Child[]>(MAX_BYTES, approximateBytes))

/** Reads in one round trip what `readNodes` will probably need for these places, besides what is known. */
export async function readProbableNodes(
  table: Table,
  places: Place[],
  known: NodeItems = new Map(),
): Promise<NodeItems> {
  const read = new Map(known)
  await readMissing(table, read, probableKeys(table, places, rootsIn(read, places)))
  return read
}

/**
 * Reads roots and, in the same round trip, the inner nodes that the places are probably in; then the others,
 * if there are any. `ahead` was read already. Returns undefined if a split or merge came between the reads.
 */
export async function readNodes(
  table: Table,
  places: Place[],
  ahead: NodeItems = new Map(),
): Promise<Nodes | undefined> {
  const read = new Map(ahead)
  await readMissing(table, read, probableKeys(table, places, rootsIn(read, places)))
  const roots = rootsIn(read, places)
  for (const [name, { children }] of roots) rememberedOf(table).set(name, children)
  const wanted = places.flatMap(({ list, order }) => {
    const root = roots.get(list.name)
    return root ? [{ order, key: innerNodeKey(list.name, startOf(root, order)) }] : []
  })
  const keys = wanted.map(({ key }) => key)
  await readMissing(table, read, keys)
  const innerNodes = parsed(read, keys, innerNodeSchema.parse)
  const isRight = wanted.every(({ order, key }) => {
    const node = innerNodes.get(textOf(key))
    return node && isWithin(order, '', node.until)
  })
  const innerNodeOf = (list: List, from: string) => innerNodes.get(textOf(innerNodeKey(list.name, from)))
  return isRight ? { roots, innerNodeOf } : undefined
}

/** The key at which the inner node of an entry starts. */
export function startOf({ children }: Pick<Root, 'children'>, order: string): string {
  return children[childAt(children, order)]?.from ?? ''
}

/** Inner nodes by the roots that were read, else by what is remembered. A small list has only the first. */
function probableKeys(table: Table, places: Place[], roots: Map<string, Root>): Key[] {
  const remembered = rememberedOf(table)
  return places.flatMap(({ list, order }) => {
    const children = roots.get(list.name)?.children ?? remembered.get(list.name) ?? []
    return [list.root, innerNodeKey(list.name, startOf({ children }, order))]
  })
}

function rootsIn(read: NodeItems, places: Place[]): Map<string, Root> {
  const roots = parsed(
    read,
    places.map(({ list }) => list.root),
    rootSchema.parse,
  )
  return new Map(
    places.flatMap(({ list }) => {
      const root = roots.get(textOf(list.root))
      return root ? [[list.name, root]] : []
    }),
  )
}

/** Each existing item once, as a bulk write has many entries below one node. */
function parsed<T>(read: NodeItems, keys: Key[], parse: (item: Item) => T): Map<string, T> {
  return new Map(
    [...new Set(keys.map(textOf))].flatMap((text): [string, T][] => {
      const item = read.get(text)
      return item ? [[text, parse(item)]] : []
    }),
  )
}

async function readMissing(table: Table, read: Map<string, Item | undefined>, keys: Key[]): Promise<void> {
  const missing = new Map(keys.map(key => [textOf(key), key] as const).filter(([text]) => !read.has(text)))
  const found = await table.findMany([...missing.values()])
  for (const text of missing.keys()) read.set(text, undefined)
  for (const item of found) read.set(textOf(item), item)
}

function textOf({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk])
}
