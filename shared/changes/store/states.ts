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
import type { Told } from '../change.ts'
import type { States } from '../view.ts'

export type Include = 'item' | 'body' | undefined

type Reader = { table: Table; nowSeconds: number }

/** Two round trips with items, else one. Nothing is taken from what functions remember. */
export async function statesOf(reader: Reader, told: Told[], include: Include): Promise<States> {
  const { table, nowSeconds } = reader
  const targets = told.map(({ target }) => target)
  const idsOf = (kind: 'post' | 'category') => [
    ...new Set(targets.flatMap(target => (target.kind === kind ? target.id : []))),
  ]
  const shows = (kind: string) => include !== undefined && targets.some(target => target.kind === kind)
  const [posts, categories, menus, settings, scheduled] = await Promise.all([
    table.findMany(idsOf('post').map(postKey)),
    table.findMany(idsOf('category').map(categoryKey)),
    Promise.all(targets.flatMap(target => (target.kind === 'menu' ? findMenu(table, target.location) : []))),
    shows('settings') ? readSettings(table) : undefined,
    shows('category') ? listScheduled(table, nowSeconds) : [],
  ])
  const states: States = {
    nowSeconds,
    posts: byId(posts.map(item => Post.parse(item))),
    categories: byId(categories.map(item => CategoryRecord.parse(item))),
    menus: new Map(menus.flatMap(menu => (menu ? [[menu.location, menu] as const] : []))),
  }
  if (!include) return states
  const live = [...states.posts.values()].filter(post => isLive(post, nowSeconds))
  const [names, bodies] = await Promise.all([
    namesFor(table, live),
    include === 'body' ? withBodies(table, live, nowSeconds) : undefined,
  ])
  return {
    ...states,
    items: {
      names,
      bodies: bodies && new Map(bodies.map(full => [full.post.id, full])),
      scheduled,
      settings: settings && publicSettings(settings),
    },
  }
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
