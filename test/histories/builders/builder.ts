// A builder with a copy of the public content: it walks all lists once, and then applies changes.
import * as z from 'zod/mini'
import { categories } from '../../../shared/categories/contract.ts'
import { type Change, changes } from '../../../shared/changes/contract.ts'
import { posts } from '../../../shared/posts/contract.ts'
import { site } from '../../../shared/site/contract.ts'
import type { HistoryWorld } from '../world.ts'

export const MENUS = ['main', 'footer']

/** The JSON of each resource, by its type and id. */
export type Copy = Map<string, string>

/** `perAnswer`: how many items it asks for at once. */
export type Builder = Awaited<ReturnType<typeof openBuilder>>

export async function openBuilder(world: HistoryWorld, perAnswer: number) {
  const copy: Copy = new Map()
  let walk = walkOf(world, perAnswer)
  let isWalked = false
  let since = await cursorNow(world)

  const walkOn = async () => {
    const { value, done = false } = await walk.next()
    for (const [name, json] of value ?? []) copy.set(name, json)
    isWalked = done
  }

  /** Returns all entries of the answers. After one of the type `all` the builder starts again. */
  const poll = async (): Promise<Change[]> => {
    const all: Change[] = []
    for (let more = true; more; ) {
      const query = { since, limit: perAnswer, include: 'body' }
      const { read, cursor } = await world.call(changes.listChanges, { query })
      const names = new Set(read().map(nameOf))
      if (names.size < read().length) throw new Error('An answer names a resource twice.')
      all.push(...read())
      if (read().some(({ type }) => type === 'all')) {
        await start()
        return all
      }
      for (const change of read()) apply(copy, change)
      since = cursor?.next ?? ''
      more = cursor?.more === true
    }
    return all
  }

  /** Brings the copy up to date. */
  const finish = async () => {
    do {
      while (!isWalked) await walkOn()
      await poll()
    } while (!isWalked)
  }
  const start = async () => {
    copy.clear()
    walk = walkOf(world, perAnswer)
    isWalked = false
    since = await cursorNow(world)
  }
  return { copy, start, walkOn, poll, finish }
}

async function cursorNow({ call }: HistoryWorld): Promise<string> {
  return (await call(changes.listChanges)).cursor?.next ?? ''
}

function nameOf({ type, id, slug }: Pick<Change, 'type' | 'id' | 'slug'>): string {
  return `${type} ${id ?? slug}`
}

function apply(copy: Copy, change: Change): void {
  if (change.change === 'removed') {
    copy.delete(nameOf(change))
  } else {
    copy.set(nameOf(change), JSON.stringify(change.item))
  }
}

const WithId = z.looseObject({ id: z.int() })
type Part = [name: string, json: string][]

function partOf(type: string, items: unknown[]): Part {
  return items.map(item => [`${type} ${WithId.parse(item).id}`, JSON.stringify(item)])
}

/** All public content, a part at a time. Other requests come between the parts. */
export async function* walkOf({ call }: HistoryWorld, per_page: number): AsyncGenerator<Part, undefined> {
  for (const [type, endpoint] of [
    ['post', posts.listPosts],
    ['page', posts.listPages],
  ] as const) {
    for (let after: string | undefined, isOver = false; !isOver; ) {
      const query = { per_page, include: 'body', ...(after !== undefined && { after }) }
      const { read, cursor } = await call(endpoint, { query })
      yield partOf(type, read())
      after = cursor?.next ?? undefined
      isOver = after === undefined
    }
  }
  yield partOf('category', (await call(categories.listCategories)).read())
  yield [['settings null', JSON.stringify((await call(site.getPublicSettings)).read())]]
  for (const location of MENUS) {
    const menu = await call(site.getMenu, { params: { location } })
    yield menu.status === 200 ? [[`menu ${location}`, JSON.stringify(menu.read())]] : []
  }
  return undefined
}

/** What a copy has to be. */
export async function fullPull(world: HistoryWorld): Promise<Copy> {
  const copy: Copy = new Map()
  for await (const part of walkOf(world, 100)) for (const [name, json] of part) copy.set(name, json)
  return copy
}
