// From rows of the feed and the schedule to what they concern, each once, oldest first. No I/O.
import { type ChangeRow, CURSOR_SECONDS, type Note, type PostNote } from '../feed/note.ts'
import { dayOf, type Position } from '../feed/position.ts'
import { ApiError } from '../http/errors.ts'
import type { ContentType } from '../posts/fields.ts'
import type { PublicEntry } from '../posts/post.ts'
import { timeOrder } from '../table/design.ts'

/** What a change concerns. `formerSlug`: under which readers may know it. */
export type Target =
  | { kind: 'post'; type: ContentType; id: number; formerSlug?: string | undefined }
  | { kind: 'category'; id: number; formerSlug?: string | undefined }
  | { kind: 'menu'; location: string }
  | { kind: 'settings' | 'all' }

/** A row of the feed or of the schedule. */
type Row = {
  source: 'feed' | 'schedule'
  key: string
  place: number
  atMs: number
  targets: Target[]
}

export function rowOfFeed({ place, at_ms, notes }: ChangeRow): Row {
  return { source: 'feed', key: String(place), place, atMs: at_ms, targets: notes.flatMap(targetsOf) }
}

/** A scheduled post that is due and that no worker has announced yet. */
export function rowOfSchedule({
  id,
  posted_at,
  content_type,
  category_ids,
}: PublicEntry & { posted_at: number }): Row {
  const counted = content_type === 'post' ? category_ids : []
  return {
    source: 'schedule',
    key: timeOrder(posted_at, id),
    place: 0,
    atMs: posted_at * 1000,
    targets: [{ kind: 'post', type: content_type, id }, ...counted.map(categoryTarget)],
  }
}

function targetsOf(note: Note): Target[] {
  switch (note.kind) {
    case 'post':
      return [...postTargets(note), ...note.counted.map(categoryTarget)]
    case 'category':
      return [{ kind: 'category', id: note.id, formerSlug: note.slug }]
    case 'menu':
      return [{ kind: 'menu', location: note.location }]
    default:
      return [{ kind: note.kind }]
  }
}

/** Its count has changed, or its list. */
function categoryTarget(id: number): Target {
  return { kind: 'category', id }
}

/** A post that changes its type is removed as the one and added as the other. */
function postTargets({ id, type, was }: PostNote): Target[] {
  const before: Target[] = was ? [{ kind: 'post', type: was.type, id, formerSlug: was.slug }] : []
  return type && type !== was?.type ? [...before, { kind: 'post', type, id }] : before
}

type OrderedRow = { row: Row; orderMs: number }

/** The rows of both in the order of their times. `limit`: with as many rows, a list may have more. */
export function merged(feed: Row[], schedule: Row[], limit: number): Row[] {
  const both = [inOrder(feed), inOrder(schedule)]
  const ends = both.flatMap(rows => (rows.length < limit ? [] : (rows.at(-1)?.orderMs ?? 0)))
  const untilMs = ends.reduce((until, ms) => Math.min(until, ms), Infinity)
  return both
    .flat()
    .filter(({ orderMs }) => orderMs <= untilMs)
    .sort((a, b) => a.orderMs - b.orderMs)
    .map(({ row }) => row)
}

/** The feed keeps its order, whatever the clocks of its writers say. */
function inOrder(rows: Row[]): OrderedRow[] {
  let orderMs = 0
  return rows.map(row => {
    orderMs = Math.max(orderMs, row.atMs)
    return { row, orderMs }
  })
}

/** Throws CURSOR_EXPIRED: what has changed since is not kept any more. */
export function requireHolding({ issued }: Position, nowSeconds: number): void {
  if (dayOf(nowSeconds) - issued <= CURSOR_SECONDS) return
  throw new ApiError(
    'CURSOR_EXPIRED',
    'The cursor is older than 30 days. Get a new one without `since`, then pull everything.',
  )
}

/** A target with the time of its last change, and the slugs under which readers may know it. */
export type ChangedTarget = { target: Target; atMs: number; formerSlugs: string[] }

/**
 * Adds a target, each of which is there once, at the place of its last change. Returns false if there is no
 * room for another one.
 */
function addTarget(
  targets: Map<string, ChangedTarget>,
  target: Target,
  atMs: number,
  limit: number,
): boolean {
  const name = nameOf(target)
  const earlier = targets.get(name)
  if (!earlier && targets.size >= limit) return false
  const slug = 'formerSlug' in target ? target.formerSlug : undefined
  targets.delete(name)
  const formerSlugs = [...(earlier?.formerSlugs ?? []), ...(slug === undefined ? [] : [slug])]
  targets.set(name, { target, atMs, formerSlugs })
  return true
}

function nameOf(target: Target): string {
  if (target.kind === 'post') return `${target.type} ${target.id}`
  if (target.kind === 'category') return `category ${target.id}`
  return target.kind === 'menu' ? `menu ${target.location}` : target.kind
}

/** `isAll`: there are no further rows. */
export type Rows = { rows: Row[]; isAll: boolean }
export type Answer = { changed: ChangedTarget[]; next: Position; hasMore: boolean }

/** At most `limit` targets. */
export function takeTargets(
  start: Position,
  { rows, isAll }: Rows,
  limit: number,
  nowSeconds: number,
): Answer {
  const changed = new Map<string, ChangedTarget>()
  const { begun, ...from } = start
  let position: Position = { ...from, issued: dayOf(nowSeconds) }
  for (const { source, key, place, atMs, targets } of rows) {
    const first = begun?.source === source && begun.key === key ? begun.done : 0
    const full = targets.findIndex((target, n) => n >= first && !addTarget(changed, target, atMs, limit))
    if (full >= 0) {
      const next = { ...position, begun: { source, key, done: full } }
      return { changed: [...changed.values()], next, hasMore: true }
    }
    position = source === 'feed' ? { ...position, place } : { ...position, due: key }
  }
  return { changed: [...changed.values()], next: position, hasMore: !isAll }
}
