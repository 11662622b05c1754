// Readers in several functions, which remember what they have read, while writers change everything that is
// public: no reader sees less than what was acknowledged before it asked.
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { changeUser, createUser } from '../../shared/accounts/commands/users.ts'
import { type Content, openContent } from '../../shared/cache/content.ts'
import { changeCategory } from '../../shared/categories/commands/change.ts'
import { createCategory } from '../../shared/categories/commands/create.ts'
import { countedCategories } from '../../shared/categories/store/categories.ts'
import { deletePost, unpublishPost, updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { SinglePost } from '../../shared/posts/fields.ts'
import { POSTS } from '../../shared/posts/lists.ts'
import { showPublicPage } from '../../shared/posts/store/public-page.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import { readSettings } from '../../shared/site/store/settings.ts'
import type { Action } from '../../shared/table/action.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { kindOf } from '../../shared/table/design.ts'
import { newTable } from '../world/new-table.ts'
import { checkRandom, LONGEST_MS } from '../world/property.ts'
import { contentIsRemembered } from '../world/remembered.ts'
import { unitOfWorkOn } from '../world/work.ts'

const NOW_MS = Date.parse('2026-01-01T12:00:00Z')
const READERS = 3
const PAGE = { page: 1, per_page: 100, include: 'body' as const }

/** What a site shows in one place: how to set it to a number, and how to read the number back. */
type Place = {
  write: (number: number) => Promise<unknown>
  read: (content: Content) => Promise<number>
}

function numberIn(text: string | undefined): number {
  return Number(/\d+/.exec(text ?? '')?.[0] ?? -1)
}

/** `table`: of the writers. */
async function openPlaces(table: Table): Promise<Place[]> {
  const work = () => unitOfWorkOn(table, NOW_MS)
  const requireMatch = () => undefined
  const profile = { name: 'Author 0', email: 'a@example.com', email_verified: true, password_hash: null }
  const author = await createUser(table, profile, NOW_MS / 1000)
  const category = (await createCategory(work(), { name: 'Category 0', description: 'Text 0' })).data
  const create = async (title: string, slug: string) => {
    const input = { title, slug, body: 'Body 0', is_published: true, category_ids: [category.id] }
    return (await createPost(work(), input, author.id)).data.id
  }
  const post = { id: await create('Post 0', 'post'), requireMatch }
  let other = { id: await create('Other 0', 'other-0'), requireMatch }
  await saveSettings(table, { 'general.site_name': 'Site 0' })

  const list = async (content: Content) =>
    z.array(SinglePost).parse((await showPublicPage(content, POSTS, PAGE)).data)
  const inList = async (content: Content) => (await list(content)).find(({ id }) => id === post.id)
  const replaceOther = async (n: number) => {
    const before = other
    other = { id: await create(`Other ${n}`, `other-${n}`), requireMatch }
    await (n % 2 ? deletePost : unpublishPost)(work(), before)
  }
  const changeOfCategory = (change: { name?: string; description?: string }) =>
    changeCategory(work(), { id: category.id, requireMatch }, change)

  return [
    {
      write: n => updatePost(work(), post, { title: `Post ${n}` }),
      read: async content => numberIn((await inList(content))?.title),
    },
    {
      write: n => updatePost(work(), post, { body: `Body ${n}` }),
      read: async content => numberIn((await inList(content))?.body),
    },
    {
      write: replaceOther,
      read: async content => {
        const titles = (await list(content)).map(({ title }) => title)
        return Math.min(...titles.filter(title => title.startsWith('Other')).map(numberIn))
      },
    },
    {
      write: n => changeUser(table, author.id, user => ({ ...user, name: `Author ${n}` })),
      read: async content => numberIn((await inList(content))?.author.name),
    },
    {
      write: n => changeOfCategory({ name: `Category ${n}` }),
      read: async content => numberIn((await inList(content))?.categories[0]?.name),
    },
    {
      write: n => changeOfCategory({ description: `Text ${n}` }),
      read: async content => numberIn((await countedCategories(content.table, NOW_MS))[0]?.description),
    },
    {
      write: n => saveSettings(table, { 'general.site_name': `Site ${n}` }),
      read: async content => numberIn(String((await readSettings(content.names))['general.site_name'])),
    },
  ]
}
const PLACES = 7

/** By round: the places that are written, side by side with readers of all of them. */
type History = number[][]

const histories: fc.Arbitrary<History> = fc.array(
  fc.uniqueArray(fc.nat({ max: PLACES - 1 }), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 6 },
)

type Readers = { rememberAll: () => Promise<void> }

/** `writersOf`: the table as writers use it. */
async function check(history: History, writersOf: (table: Table, readers: Readers) => Table): Promise<void> {
  const world = await newTable()
  try {
    const functions = Array.from({ length: READERS }, () => openTable(world.client, world.tableName))
    let places: Place[] = []
    let acknowledged: number[] = []

    const readAll = async (table: Table) => {
      const atLeast = [...acknowledged]
      const content = await openContent(table, NOW_MS)
      const seen = await Promise.all(places.map(place => place.read(content)))
      for (const [n, number] of seen.entries()) {
        if (number < (atLeast[n] ?? 0)) throw new Error(`Place ${n} showed ${number} after ${atLeast[n]}.`)
      }
    }
    const rememberAll = async () => {
      await Promise.all(functions.map(table => contentIsRemembered(table, NOW_MS)))
      await Promise.all(functions.map(readAll))
    }
    places = await openPlaces(writersOf(world.table, { rememberAll }))
    acknowledged = places.map(() => 0)

    for (const [round, chosen] of history.entries()) {
      // Each function remembers all places, so that it has something to forget.
      await rememberAll()
      let isWriting = true
      const writing = chosen.map(async n => {
        await places[n]?.write(round + 1)
        acknowledged[n] = round + 1
        await Promise.all(functions.map(readAll))
      })
      const reading = functions.map(async table => {
        while (isWriting) {
          await readAll(table)
          await pause(20)
        }
      })
      const written = Promise.all(writing).finally(() => {
        isWriting = false
      })
      await Promise.all([written, ...reading])
    }
    await rememberAll()
    await rememberAll()
  } finally {
    await world.stop()
  }
}

function isOfGeneration(action: Action): boolean {
  return 'Update' in action && kindOf(action.Update.Key.pk) === 'GENERATION'
}

/** Each transaction shows the new generation first, and all else when `between` has ended. */
function torn(table: Table, between: () => Promise<unknown>): Table {
  const transact = async (actions: Action[]) => {
    await table.transact(actions.filter(isOfGeneration))
    await between()
    await table.transact(actions.filter(action => !isOfGeneration(action)))
  }
  return { ...table, transact }
}

describe('readers in several functions that remember public content', () => {
  it('see at least what was acknowledged before they asked', { timeout: LONGEST_MS }, () =>
    checkRandom(histories, history => check(history, table => table), 6_000),
  )

  it('do so if a transaction becomes visible piece by piece', { timeout: LONGEST_MS }, () =>
    checkRandom(histories, history => check(history, table => torn(table, () => pause(30))), 6_000),
  )
})

/** Every place is written in a round of its own, so that each fault is met. */
const EACH_PLACE = Array.from({ length: PLACES }, (_, n) => [n])

describe('the check of readers', () => {
  it('finds a writer that does not raise the generation', async () => {
    for (const history of EACH_PLACE) {
      const withoutRaise = (table: Table): Table => ({
        ...table,
        transact: actions => table.transact(actions.filter(action => !isOfGeneration(action))),
      })
      await expect(check([history], withoutRaise)).rejects.toThrow('showed 0 after 1')
    }
  })

  it('finds content that is remembered before all of a transaction is visible', async () => {
    const tornForLong = (table: Table, { rememberAll }: Readers) => torn(table, rememberAll)
    await expect(check([[0]], tornForLong)).rejects.toThrow('showed 0 after 1')
  })
})
