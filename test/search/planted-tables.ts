// Tables that interrupt or reorder the calls of writers, of the index worker, or of searches.

import { readIndexState } from '../../shared/search/index-state.ts'
import { ManifestItem } from '../../shared/search/manifest.ts'
import type { Action } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import type { Item } from '../../shared/table/design.ts'
import {
  INDEX_PARTITION,
  kindOf,
  manifestKey,
  markerIn,
  markerKey,
  segmentItemKey,
} from '../../shared/table/design.ts'
import { type History, KILLED } from './index-history.ts'

/** In each read of the index state the worker runs after the manifest was read and before the markers. */
export function laterMarkers(runsAtMs: number[]) {
  return ({ table, merge }: History): Table => ({
    ...table,
    query: async (span, schema) => {
      const isManifest = (item: unknown) => skOf(item) === manifestKey.sk
      const before = await table.query(span, schema)
      if (span.pk !== INDEX_PARTITION || span.from) return before
      for (const laterMs of runsAtMs) await merge(laterMs)
      const after = await table.query(span, schema)
      return [...before.filter(isManifest), ...after.filter(item => !isManifest(item))]
    },
  })
}

function skOf(item: unknown): string {
  return typeof item === 'object' && item && 'sk' in item ? String(item.sk) : ''
}

/** Changes each marker that writers write; undefined: it is not written. */
export function otherMarkers(change: (marker: Item) => Item | undefined) {
  return ({ table }: History): Table => ({
    ...table,
    transact: actions =>
      table.transact(
        actions.flatMap((action): Action[] => {
          if (!('Put' in action) || !isMarker(action.Put.Item)) return [action]
          const Item = change(action.Put.Item)
          return Item ? [{ ...action, Put: { ...action.Put, Item } }] : []
        }),
      ),
  })
}

function isMarker({ pk, sk }: Item): boolean {
  return pk === INDEX_PARTITION && markerIn(sk) !== undefined
}

/** Runs `first` before each swap of segments. */
function beforeSwap(first: (history: History, members: Record<string, unknown>) => Promise<void>) {
  return (history: History): Table => ({
    ...history.table,
    write: async action => {
      if (isSwap(action)) await first(history, membersSetBy(action))
      await history.table.write(action)
    },
  })
}

type Update = Extract<Action, { Update: unknown }>

/** A manifest that names a segment that is being written swaps none. */
function isSwap(action: Action): action is Update {
  if (!('Update' in action) || action.Update.Key.sk !== manifestKey.sk) return false
  return ManifestItem.parse(membersSetBy(action)).building.length === 0
}

function membersSetBy({ Update }: Update): Record<string, unknown> {
  const names = Object.entries(Update.ExpressionAttributeNames ?? {})
  const values = Update.ExpressionAttributeValues ?? {}
  return Object.fromEntries(
    names.map(([placeholder, name]) => [name, values[placeholder.replace('#n', ':v')]]),
  )
}

/** The markers are deleted before the manifest names the segment that contains their posts. */
export const markersRemovedFirst = beforeSwap(async ({ table, expectAll }) => {
  const { markers } = await readIndexState(table)
  await table.removeMany(markers.map(({ id, revision }) => markerKey(id, revision)))
  await expectAll()
})

/** Merged segments are deleted before the manifest names the segment that replaces them. */
export const segmentsRemovedFirst = beforeSwap(async ({ table, expectAll }, members) => {
  const { obsolete } = ManifestItem.parse(members)
  for (const { name, items } of obsolete.flatMap(({ segments }) => segments)) {
    await table.removeMany(Array.from({ length: items }, (_, n) => segmentItemKey(name, n)))
  }
  await expectAll()
})

/** The manifest names a segment before its items are written, and the run is killed in between. */
export function itemsWrittenLast({ table }: History): Table {
  return {
    ...table,
    putMany: async items => {
      if (items.some(({ pk }) => kindOf(pk) !== 'SEGMENT')) await table.putMany(items)
    },
    write: async action => {
      await table.write(action)
      if (isSwap(action)) throw new Error(KILLED)
    },
  }
}
