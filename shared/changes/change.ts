// From rows of the feed and the schedule to what they concern, each once, oldest first. No I/O.
import type { ChangeRow, Note, PostNote } from '../feed/note.ts'
import type { ContentType } from '../posts/fields.ts'
import type { PublicEntry } from '../posts/post.ts'
import { timeOrder } from '../table/design.ts'

/** What a change concerns. `formerSlug`: under which readers may know it. */
export type Target =
  | { kind: 'post'; type: ContentType; id: number; formerSlug?: string | undefined }
  | { kind: 'category'; id: number; formerSlug?: string | undefined }
  | { kind: 'menu'; location: string }
  | { kind: 'settings' | 'all' }
/** The posts and pages that show a name. They are found by reading lists. */
export type PostsOf = { kind: 'posts-of'; shown: 'author' | 'category'; id: number }

/** A row of the feed or of the schedule. */
export type Row = {
  source: 'feed' | 'schedule'
  key: string
  place: number
  atMs: number
  targets: (Target | PostsOf)[]
}

export function rowOfFeed({ place, at_ms, notes }: ChangeRow): Row {
  const targets = notes.flatMap(note => targetsOf(note, at_ms))
  return { source: 'feed', key: String(place), place, atMs: at_ms, targets }
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

function targetsOf(note: Note, atMs: number): Row['targets'] {
  switch (note.kind) {
    case 'post':
      return [...postTargets(note, atMs), ...note.counted.map(categoryTarget)]
    case 'category': {
      const { id, slug, onPosts } = note
      const postsOf: PostsOf[] = onPosts ? [{ kind: 'posts-of', shown: 'category', id }] : []
      return [{ kind: 'category', id, formerSlug: slug }, ...postsOf]
    }
    case 'author':
      return [{ kind: 'posts-of', shown: 'author', id: note.id }]
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

/** Between planning and commit of a change pass moments, and the clocks of functions differ. */
const LATE_MS = 2_000

/** A post that changes its type is removed as the one and added as the other. */
function postTargets({ id, type, was }: PostNote, atMs: number): Target[] {
  const isKnown = was !== undefined && was.since * 1000 <= atMs + LATE_MS
  const before: Target[] = was
    ? [{ kind: 'post', type: was.type, id, formerSlug: isKnown ? was.slug : undefined }]
    : []
  return type && type !== was?.type ? [...before, { kind: 'post', type, id }] : before
}

type Ordered = { row: Row; orderMs: number }

/** The rows of both in the order of their times. `limit`: so many that there may be more. */
export function merged(feed: Row[], schedule: Row[], limit: number): Row[] {
  const both = [inOrder(feed), inOrder(schedule)]
  const untilMs = both.reduce((until, rows) => Math.min(until, knownUntil(rows, limit)), Infinity)
  return both
    .flat()
    .filter(({ orderMs }) => orderMs <= untilMs)
    .sort((a, b) => a.orderMs - b.orderMs)
    .map(({ row }) => row)
}

function knownUntil(rows: Ordered[], limit: number): number {
  return rows.length < limit ? Number.POSITIVE_INFINITY : (rows.at(-1)?.orderMs ?? 0)
}

/** The feed keeps its order, whatever the clocks of its writers say. */
function inOrder(rows: Row[]): Ordered[] {
  let orderMs = 0
  return rows.map(row => {
    orderMs = Math.max(orderMs, row.atMs)
    return { row, orderMs }
  })
}

/** A target with the time of its last change, and the slugs under which readers may know it. */
export type Told = { target: Target; atMs: number; formerSlugs: string[] }

/** Each target once, at the place of its last change. */
export function openTold(limit: number) {
  const told = new Map<string, Told>()

  /** Returns false if there is no room for another target. */
  const add = (target: Target, atMs: number): boolean => {
    const name = nameOf(target)
    const earlier = told.get(name)
    if (!earlier && told.size >= limit) return false
    const slug = 'formerSlug' in target ? target.formerSlug : undefined
    told.delete(name)
    told.set(name, {
      target,
      atMs,
      formerSlugs: [...(earlier?.formerSlugs ?? []), ...(slug === undefined ? [] : [slug])],
    })
    return true
  }
  return { add, room: () => limit - told.size, all: () => [...told.values()] }
}

function nameOf(target: Target): string {
  if (target.kind === 'post') return `${target.type} ${target.id}`
  if (target.kind === 'category') return `category ${target.id}`
  return target.kind === 'menu' ? `menu ${target.location}` : target.kind
}
