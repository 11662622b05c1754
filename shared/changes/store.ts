// Reads the rows since a cursor, and what they concern as it is now, and shows both.
import { CategoryRecord } from '../categories/category.ts'
import { findLastPlace, listChanges } from '../feed/changes.ts'
import { Position, positionNow } from '../feed/position.ts'
import { ApiError } from '../http/errors.ts'
import { type Reply, withCursor } from '../http/reply.ts'
import { type CursorPlace, openCursor, sealCursor } from '../lists/cursor.ts'
import { isLive, Post } from '../posts/post.ts'
import { withBodies } from '../posts/store/bodies.ts'
import { namesFor } from '../posts/store/posts.ts'
import { listDueAfter, listScheduled } from '../posts/store/scheduled.ts'
import type { Menu } from '../site/menu.ts'
import { publicSettings } from '../site/settings.ts'
import { getMenu, readSettings } from '../site/store.ts'
import { findById, type Table } from '../table/client.ts'
import { categoryKey, postKey } from '../table/design.ts'
import {
  type Answer,
  type ChangedTarget,
  merged,
  type Rows,
  requireHolding,
  rowOfFeed,
  rowOfSchedule,
  type Target,
  takeTargets,
} from './change.ts'
import type { Change } from './contract.ts'
import { changeOf, type States } from './view.ts'

export type ChangesQuery = { since?: string | undefined; limit: number; include?: Include }

type Reader = { table: Table; nowMs: number; nowSeconds: number }

/** Throws VALIDATION_ERROR for a broken cursor, CURSOR_EXPIRED for one that is too old. */
export async function showChanges(
  { table, nowMs, cursorPlace }: { table: Table; nowMs: number; cursorPlace: CursorPlace },
  { since, limit, include }: ChangesQuery,
): Promise<Reply<Change[]>> {
  const reader: Reader = { table, nowMs, nowSeconds: Math.floor(nowMs / 1000) }
  const answer = (data: Change[], next: Position, more: boolean) =>
    withCursor(data, { next: sealCursor(next, cursorPlace), more })
  if (since === undefined) {
    return answer([], positionNow(await findLastPlace(reader), reader.nowSeconds), false)
  }
  const start = openCursor(since, { ...cursorPlace, parameter: 'since', schema: Position })
  requireHolding(start, reader.nowSeconds)
  const rows = await rowsAfter(reader, start, limit)
  const { changes, next, hasMore } = await readFitting(reader, start, rows, { limit, include })
  return answer(changes, next, hasMore)
}

type ShownChanges = { changes: Change[]; next: Position; hasMore: boolean }

/** Fewer targets than `limit` if one answer would read too much, or be too large. */
async function readFitting(
  reader: Reader,
  start: Position,
  rows: Rows,
  { limit, include }: { limit: number; include: Include },
): Promise<ShownChanges> {
  const take = (most: number) => takeTargets(start, rows, most, reader.nowSeconds)
  const all = take(include === 'body' ? Math.min(limit, MOST_WITH_BODIES) : limit)
  const states = await findStates(reader, all.changed)
  if (!include) return { ...all, changes: all.changed.flatMap(one => changeOf(one, states) ?? []) }
  const fitting = take(countFitting(all.changed, states, include))
  return showFitting(
    { ...states, items: await findItems(reader, fitting.changed, states, include) },
    fitting,
    take,
  )
}

/** Below the largest answer of a function, which contains the JSON as a text in JSON. */
const MAX_BYTES = 5_000_000

function showFitting(
  states: States,
  { changed, ...rest }: Answer,
  take: (most: number) => Answer,
): ShownChanges {
  const changes: Change[] = []
  let bytes = 0
  for (const [n, one] of changed.entries()) {
    const change = changeOf(one, states)
    if (!change) continue
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(change)))
    if (bytes > MAX_BYTES && n > 0) return showFitting(states, take(n), take)
    changes.push(change)
  }
  return { ...rest, changes }
}

/** One round trip and, if nothing has changed, two units. */
async function rowsAfter(
  reader: { table: Table; nowMs: number },
  { place, due }: Position,
  limit: number,
): Promise<Rows> {
  const most = limit + 1
  const [feed, schedule] = await Promise.all([
    listChanges(reader, place, most),
    listDueAfter(reader.table, due, Math.floor(reader.nowMs / 1000), most),
  ])
  return {
    rows: merged(feed.map(rowOfFeed), schedule.map(rowOfSchedule), most),
    isAll: feed.length < most && schedule.length < most,
  }
}

export type Include = 'item' | 'body' | undefined

/** One round trip. Nothing is taken from what functions remember. */
async function findStates({ table, nowSeconds }: Reader, changed: ChangedTarget[]): Promise<States> {
  const [posts, categories, menus] = await Promise.all([
    findById(table, idsOf(changed, 'post').map(postKey), Post),
    findById(table, idsOf(changed, 'category').map(categoryKey), CategoryRecord),
    Promise.all(
      changed.flatMap(({ target }) => (target.kind === 'menu' ? findMenu(table, target.location) : [])),
    ),
  ])
  return {
    nowSeconds,
    posts,
    categories,
    menus: new Map(menus.flatMap(menu => (menu ? [[menu.location, menu] as const] : []))),
  }
}

/** Records, names and bodies that one answer reads; its rows are some more units. */
const MOST_READ = 135
const MOST_WITH_BODIES = 60

/** How many targets can be read with their names and bodies: one at least. */
function countFitting(changed: ChangedTarget[], { posts, nowSeconds }: States, include: Include): number {
  const read = new Set<string>()
  for (const [n, { target }] of changed.entries()) {
    const post = target.kind === 'post' ? posts.get(target.id) : undefined
    if (!post || !isLive(post, nowSeconds)) continue
    read.add(`author ${post.author_id}`)
    for (const id of post.category_ids) read.add(`category ${id}`)
    if (include === 'body') read.add(`body ${post.id}`)
    if (changed.length + read.size > MOST_READ) return Math.max(1, n)
  }
  return changed.length
}

/** What the answer includes of the targets. One more round trip. */
async function findItems(
  { table, nowSeconds }: Reader,
  changed: ChangedTarget[],
  { posts }: States,
  include: Include,
): Promise<States['items']> {
  const live = idsOf(changed, 'post').flatMap(id => {
    const post = posts.get(id)
    return post && isLive(post, nowSeconds) ? [post] : []
  })
  const shows = (kind: Target['kind']) => changed.some(({ target }) => target.kind === kind)
  const [names, bodies, settings, scheduled] = await Promise.all([
    namesFor(table, live),
    include === 'body' ? withBodies(table, live, nowSeconds) : undefined,
    shows('settings') ? readSettings(table) : undefined,
    shows('category') ? listScheduled(table, nowSeconds) : [],
  ])
  return {
    names,
    bodies: bodies && new Map(bodies.map(full => [full.post.id, full])),
    scheduled,
    settings: settings && publicSettings(settings),
  }
}

function idsOf(changed: ChangedTarget[], kind: 'post' | 'category'): number[] {
  return [...new Set(changed.flatMap(({ target }) => (target.kind === kind ? target.id : [])))]
}

async function findMenu(table: Table, location: string): Promise<Menu | undefined> {
  try {
    return await getMenu(table, location)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
