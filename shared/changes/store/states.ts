// Reads what targets are at this moment: after the rows that name them, so that no state is older.
import { CategoryRecord } from '../../categories/category.ts'
import { ApiError } from '../../http/errors.ts'
import { isLive, Post } from '../../posts/post.ts'
import { withBodies } from '../../posts/store/bodies.ts'
import { namesFor } from '../../posts/store/names.ts'
import { listScheduled } from '../../posts/store/scheduled.ts'
import type { Menu } from '../../site/menu.ts'
import { publicSettings } from '../../site/settings.ts'
import { getMenu } from '../../site/store/menus.ts'
import { readSettings } from '../../site/store/settings.ts'
import type { Table } from '../../table/client.ts'
import { categoryKey, postKey } from '../../table/design.ts'
import type { Target } from '../change.ts'
import type { Told } from '../told.ts'
import type { States } from '../view.ts'

export type Include = 'item' | 'body' | undefined

type Reader = { table: Table; nowSeconds: number }

/** One round trip. Nothing is taken from what functions remember. */
export async function findStates({ table, nowSeconds }: Reader, told: Told[]): Promise<States> {
  const [posts, categories, menus] = await Promise.all([
    table.findMany(idsOf(told, 'post').map(postKey)),
    table.findMany(idsOf(told, 'category').map(categoryKey)),
    Promise.all(
      told.flatMap(({ target }) => (target.kind === 'menu' ? findMenu(table, target.location) : [])),
    ),
  ])
  return {
    nowSeconds,
    posts: byId(posts.map(item => Post.parse(item))),
    categories: byId(categories.map(item => CategoryRecord.parse(item))),
    menus: new Map(menus.flatMap(menu => (menu ? [[menu.location, menu] as const] : []))),
  }
}

/** Records, names and bodies that one answer reads; its rows are some more units. */
const MOST_READ = 135
export const MOST_WITH_BODIES = 60

/** Of how many targets the names and bodies can be read, of one at least. */
export function countFitting(told: Told[], { posts, nowSeconds }: States, include: Include): number {
  const read = new Set<string>()
  for (const [n, { target }] of told.entries()) {
    const post = target.kind === 'post' ? posts.get(target.id) : undefined
    if (!post || !isLive(post, nowSeconds)) continue
    read.add(`author ${post.author_id}`)
    for (const id of post.category_ids) read.add(`category ${id}`)
    if (include === 'body') read.add(`body ${post.id}`)
    if (told.length + read.size > MOST_READ) return Math.max(1, n)
  }
  return told.length
}

/** What the answer includes of the targets. One more round trip. */
export async function findItems(
  { table, nowSeconds }: Reader,
  told: Told[],
  { posts }: States,
  include: Include,
): Promise<States['items']> {
  const live = idsOf(told, 'post').flatMap(id => {
    const post = posts.get(id)
    return post && isLive(post, nowSeconds) ? [post] : []
  })
  const shows = (kind: Target['kind']) => told.some(({ target }) => target.kind === kind)
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

function idsOf(told: Told[], kind: 'post' | 'category'): number[] {
  return [...new Set(told.flatMap(({ target }) => (target.kind === kind ? target.id : [])))]
}

function byId<One extends { id: number }>(all: One[]): Map<number, One> {
  return new Map(all.map(one => [one.id, one]))
}

async function findMenu(table: Table, location: string): Promise<Menu | undefined> {
  try {
    return await getMenu(table, location)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
