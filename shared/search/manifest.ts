// The manifest of the index: which segments are live. A swap of it is what changes them. And the lock of a
// rebuild: while it is held, the index worker leaves all changes pending.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { CONFLICT, ConditionFailed, ignoreConditionFailed, isNew, setMembers } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { manifestKey, rebuildLockKey } from '../table/design.ts'
import { packNumbers, unpackNumbers } from './posting.ts'

/** `added` and `removed`: the numbers of posts in it. */
export type Segment = {
  name: string
  items: number
  hasIndex: boolean
  added: number
  removed: number
}

/** What a swap of the manifest made useless. It is kept for searches that read the manifest before. */
type Obsolete = {
  /** The time of the swap. */
  at_ms: number
  /** The revisions of posts that the segments contain although their markers still exist, by post id. */
  merged: Map<number, number>
  /** Those that were merged into another one. */
  segments: Pick<Segment, 'name' | 'items'>[]
}

export type Manifest = {
  /** Each write sets another one and is conditional on the one that was read. */
  stamp: string
  /** Oldest first. */
  segments: Segment[]
  /** Oldest first. */
  obsolete: Obsolete[]
  /** The names of the segments that a run is writing, or was writing when it was killed. */
  building: string[]
}

const Name = z.string()
const StoredSegment = z.lazy(() => z.tuple([Name, z.int(), z.int(), z.int(), z.int()]))
const StoredObsolete = z.lazy(() =>
  z.object({
    at_ms: z.int(),
    merged: z.instanceof(Uint8Array),
    segments: z.array(z.tuple([Name, z.int()])),
  }),
)

export const ManifestItem = z.lazy(() =>
  z.pipe(
    z.object({
      stamp: z.string(),
      segments: z.array(StoredSegment),
      obsolete: z.array(StoredObsolete),
      building: z.array(Name),
    }),
    z.transform(
      ({ segments, obsolete, ...members }): Manifest => ({
        ...members,
        segments: segments.map(([name, items, hasIndex, added, removed]) => ({
          name,
          items,
          hasIndex: hasIndex === 1,
          added,
          removed,
        })),
        obsolete: obsolete.map(({ at_ms, merged, segments }) => ({
          at_ms,
          merged: unpackPairs(merged),
          segments: segments.map(([name, items]) => ({ name, items })),
        })),
      }),
    ),
  ),
)

function unpackPairs(bytes: Uint8Array): Map<number, number> {
  const numbers = unpackNumbers(bytes)
  return new Map(
    Array.from({ length: numbers.length / 2 }, (_, n) => [numbers[2 * n] ?? 0, numbers[2 * n + 1] ?? 0]),
  )
}

function attributesOf({ stamp, segments, obsolete, building }: Manifest) {
  return {
    stamp,
    segments: segments.map(({ name, items, hasIndex, added, removed }) => [
      name,
      items,
      Number(hasIndex),
      added,
      removed,
    ]),
    obsolete: obsolete.map(({ at_ms, merged, segments }) => ({
      at_ms,
      merged: packNumbers([...merged].flat()),
      segments: segments.map(({ name, items }) => [name, items]),
    })),
    building,
  }
}

/** The highest merged revision of each post. */
export function mergedRevisions(obsolete: Obsolete[]): Map<number, number> {
  return new Map(obsolete.flatMap(({ merged }) => [...merged]))
}

/** Before the first post. */
export const NO_SEGMENTS: Omit<Manifest, 'stamp'> = { segments: [], obsolete: [], building: [] }

/**
 * Swaps the manifest: from then on searches read other segments. Returns it as saved. Throws ConditionFailed:
 * CONFLICT if another run has saved one since `before` was read.
 */
export async function saveManifest(
  table: Table,
  before: Pick<Manifest, 'stamp'> | undefined,
  after: Omit<Manifest, 'stamp'>,
): Promise<Manifest> {
  const saved = { ...after, stamp: randomUUID() }
  const unchanged = before
    ? { ConditionExpression: 'stamp = :s', ExpressionAttributeValues: { ':s': before.stamp } }
    : isNew
  const Update = { Key: manifestKey, ...setMembers(attributesOf(saved), unchanged) }
  try {
    await table.write({ onConditionFailed: CONFLICT, Update })
  } catch (error) {
    // A repeated write fails if the first one succeeded and its answer was lost.
    const isSaved =
      error instanceof ConditionFailed && (await table.find(manifestKey, ManifestItem))?.stamp === saved.stamp
    if (!isSaved) throw error
  }
  return saved
}

/** Takes the lock or keeps it. Returns false while another rebuild holds it. */
export async function holdLock(
  table: Table,
  { holder, nowMs, untilMs }: { holder: string; nowMs: number; untilMs: number },
): Promise<boolean> {
  const Put = {
    Item: { ...rebuildLockKey, holder, until_ms: untilMs },
    ConditionExpression: 'attribute_not_exists(pk) OR until_ms <= :now OR holder = :me',
    ExpressionAttributeValues: { ':me': holder, ':now': nowMs },
  }
  const failed = await table.write({ Put }).catch(error => {
    if (!(error instanceof ConditionFailed)) throw error
    return error
  })
  return !failed
}

export function releaseLock(table: Table, holder: string): Promise<void> {
  const isMine = { ConditionExpression: 'holder = :me', ExpressionAttributeValues: { ':me': holder } }
  return table.write({ Delete: { Key: rebuildLockKey, ...isMine } }).catch(ignoreConditionFailed)
}
