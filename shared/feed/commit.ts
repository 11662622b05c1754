// Commits a change of public content with its row in the feed, above the places of all earlier changes.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { raiseVersion, type VersionMember } from '../cache/version.ts'
import { currentMs } from '../http/time.ts'
import { type Action, CONFLICT, ConditionFailed, type Update } from '../table/action.ts'
import { perTable, type Table } from '../table/client.ts'
import { changeKey, versionKey } from '../table/design.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import { startDeadline } from '../table/retrying.ts'
import { type ChangeRow, KEPT_SECONDS, type Note, PLACES_PER_MS } from './note.ts'

export type PublicChange = {
  /** Undefined if nothing that functions remember has changed, as when a due post is announced. */
  raised?: VersionMember
  /** Empty if functions remember what has changed, and readers do not see it. */
  notes: Note[]
}

/** A function where the moment decides: a scheduled post may become due while its change is being written. */
export type PublicChangeAt = PublicChange | ((nowMs: number) => PublicChange)

/** The meaning of a place that is not above the last one: another change was committed first. */
const BEHIND = 'behind'

/** The item of the version, which nearly every change writes, also has the place of the last change. */
const Head = z.lazy(() => z.object({ last_change: z._default(z.int(), 0) }))

const LONGEST_LEAD = 256

/** The highest place that this function knows. */
const knownOf = perTable(() => ({ place: 0 }))

/**
 * One transaction. Throws ConditionFailed of the actions, and CONFLICT if others are quicker all the time.
 */
export async function commitPublicly(
  table: Table,
  actions: Action[],
  change: PublicChangeAt,
  clock: () => number = currentMs,
): Promise<void> {
  const changeNow = () => (typeof change === 'function' ? change(Math.floor(clock())) : change)
  const written = await commit(table, actions, changeNow, clock)
  const { notes } = changeNow()
  // What became due during the write may have been read before it ended.
  if (!isDeepStrictEqual(written, notes)) await noteAfterwards(table, notes, clock)
}

/** A row for a write that is committed: a conflict repeats the row alone, and not the write. */
function noteAfterwards(table: Table, notes: Note[], clock: () => number): Promise<unknown> {
  return retryOnConflict(() => commit(table, [], () => ({ notes }), clock))
}

/** Returns the notes that were written. */
async function commit(
  table: Table,
  actions: Action[],
  changeNow: () => PublicChange,
  clock: () => number,
): Promise<Note[]> {
  const known = knownOf(table)
  let lead = 1
  let change: PublicChange = { notes: [] }
  const make = (): Action[] => {
    const nowMs = Math.floor(clock())
    change = changeNow()
    if (change.notes.length === 0) {
      return change.raised ? [...actions, { Update: raiseVersion(change.raised) }] : actions
    }
    known.place = Math.max(known.place + lead, placeAt(nowMs))
    return [...actions, ...changeActions(change, known.place, nowMs)]
  }
  const hasTime = startDeadline()
  for (;;) {
    try {
      await table.transact(make(), make)
      return change.notes
    } catch (error) {
      if (!isOnlyBehind(error)) throw error
      if (!hasTime()) throw new ConditionFailed([CONFLICT])
      // A clock that is right is above the last place by now. Another one has to read it.
      if (lead > 1) await readPlace(table)
      // Each loss goes further ahead, until it does not matter how many others are committed first.
      lead = Math.min(4 * lead, LONGEST_LEAD)
    }
  }
}

/** Somewhere in the millisecond, since functions often write in the same one. */
function placeAt(nowMs: number): number {
  return Math.floor((nowMs + Math.random()) * PLACES_PER_MS)
}

function isOnlyBehind(error: unknown): boolean {
  return error instanceof ConditionFailed && error.reasons.every(reason => reason === BEHIND)
}

/** The clocks of functions differ: what is above the last place of all is not known from this one alone. */
async function readPlace(table: Table): Promise<void> {
  const known = knownOf(table)
  const head = await table.find(versionKey, Head)
  known.place = Math.max(known.place, head?.last_change ?? 0)
}

function changeActions({ raised, notes }: PublicChange, place: number, at_ms: number): Action[] {
  const row: ChangeRow = { place, at_ms, notes, expires: Math.floor(at_ms / 1000) + KEPT_SECONDS }
  return [
    { onConditionFailed: BEHIND, Update: above(place, raised && raiseVersion(raised)) },
    { Put: { Item: { ...changeKey(place), ...row } } },
  ]
}

/** Also raises the version, if a function may remember what has changed. */
function above(place: number, raising: Update | undefined): Update {
  return {
    Key: versionKey,
    UpdateExpression: `SET last_change = :place ${raising?.UpdateExpression ?? ''}`.trim(),
    ConditionExpression: 'attribute_not_exists(last_change) OR last_change < :place',
    ...(raising?.ExpressionAttributeNames && { ExpressionAttributeNames: raising.ExpressionAttributeNames }),
    ExpressionAttributeValues: { ...raising?.ExpressionAttributeValues, ':place': place },
  }
}
