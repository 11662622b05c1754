// The state of the index: which segments are live, and which posts are pending. No I/O.
import * as z from 'zod/mini'
import { packNumbers, unpackNumbers } from './posting.ts'

/** `added` and `removed`: the numbers of posts in it. */
export type Segment = {
  name: string
  items: number
  hasIndex: boolean
  hasPrefixes: boolean
  added: number
  removed: number
}

/** A segment that was merged into another one. */
export type ObsoleteSegment = Pick<Segment, 'name' | 'items'>

/** What a swap of the manifest made useless. It is kept for searches that read the manifest before. */
export type Leavings = {
  /** When it last grew. */
  at_ms: number
  /** The revisions of posts that the segments contain although their markers still exist, by post id. */
  merged: Map<number, number>
  obsolete: ObsoleteSegment[]
}

export type Manifest = {
  /** Each write sets another one and is conditional on the one that was read. */
  stamp: string
  /** Oldest first. */
  segments: Segment[]
  /** At most two: one that waits to be deleted, and one that may still grow. */
  leavings: Leavings[]
  /** The segments that were finished last. Another one under construction was given up. */
  built: { pending: string; merge: string }
}

export const ManifestItem = z.lazy(() => {
  const Name = z.string()
  const StoredSegment = z.tuple([Name, z.int(), z.int(), z.int(), z.int(), z.int()])
  const StoredLeavings = z.object({
    at_ms: z.int(),
    merged: z.instanceof(Uint8Array),
    obsolete: z.array(z.tuple([Name, z.int()])),
  })
  return z.pipe(
    z.object({
      stamp: z.string(),
      segments: z.array(StoredSegment),
      leavings: z.array(StoredLeavings),
      built: z.object({ pending: Name, merge: Name }),
    }),
    z.transform(
      ({ segments, leavings, ...members }): Manifest => ({
        ...members,
        segments: segments.map(([name, items, hasIndex, hasPrefixes, added, removed]) => ({
          name,
          items,
          hasIndex: hasIndex === 1,
          hasPrefixes: hasPrefixes === 1,
          added,
          removed,
        })),
        leavings: leavings.map(({ at_ms, merged, obsolete }) => ({
          at_ms,
          merged: unpackPairs(merged),
          obsolete: obsolete.map(([name, items]) => ({ name, items })),
        })),
      }),
    ),
  )
})

function unpackPairs(bytes: Uint8Array): Map<number, number> {
  const numbers = unpackNumbers(bytes)
  return new Map(
    Array.from({ length: numbers.length / 2 }, (_, n) => [numbers[2 * n] ?? 0, numbers[2 * n + 1] ?? 0]),
  )
}

export function attributesOfManifest({ segments, leavings, ...members }: Manifest) {
  return {
    ...members,
    segments: segments.map(({ name, items, hasIndex, hasPrefixes, added, removed }) => [
      name,
      items,
      Number(hasIndex),
      Number(hasPrefixes),
      added,
      removed,
    ]),
    leavings: leavings.map(({ at_ms, merged, obsolete }) => ({
      at_ms,
      merged: packNumbers([...merged].flat()),
      obsolete: obsolete.map(({ name, items }) => [name, items]),
    })),
  }
}

/** Those of the last swap join those that still wait for others. */
export function addLeavings(leavings: Leavings[], added: Leavings): Leavings[] {
  if (added.merged.size + added.obsolete.length === 0) return leavings
  const [oldest, growing] = leavings
  if (!oldest || !growing) return [...leavings, added]
  return [
    oldest,
    {
      at_ms: added.at_ms,
      merged: new Map([...growing.merged, ...added.merged]),
      obsolete: [...growing.obsolete, ...added.obsolete],
    },
  ]
}

/** The highest merged revision of each post. */
export function mergedRevisions(manifest: Manifest | undefined): Map<number, number> {
  return new Map((manifest?.leavings ?? []).flatMap(({ merged }) => [...merged]))
}
