// Places of a site that show public content: each is set to a number, which its readers see.
import * as z from 'zod/mini'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import type { Content } from '../../shared/cache/content.ts'
import { changeCategory, createCategory } from '../../shared/categories/commands.ts'
import { countedCategories } from '../../shared/categories/store.ts'
import { deletePost, updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { SinglePost } from '../../shared/posts/fields.ts'
import { POSTS } from '../../shared/posts/lists.ts'
import { showPublicList } from '../../shared/posts/store/post-lists.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import { readSettings } from '../../shared/site/store.ts'
import type { Table } from '../../shared/table/client.ts'
import { createUserWith } from '../support/create.ts'
import { unitOfWorkOn } from '../support/work.ts'

export const NOW_MS = Date.parse('2026-01-01T12:00:00Z')
const AT = { key: 'the key of clients', place: 'GET /posts' }
const PAGE = { page: 1, per_page: 100, include: 'body' as const }

/** What a site shows in one place: how to set it to a number, and how to read the number back. */
export type Place = {
  write: (number: number) => Promise<unknown>
  read: (content: Content) => Promise<number>
}

function numberIn(text: string | undefined): number {
  return Number(/\d+/.exec(text ?? '')?.[0] ?? -1)
}

/** `table`: of the writers. */
export async function openPlaces(table: Table): Promise<Place[]> {
  const work = () => unitOfWorkOn(table, NOW_MS)
  const requireMatch = () => undefined
  const author = await createUserWith(table, ['user'], { name: 'Author 0', atSeconds: NOW_MS / 1000 })
  const category = (await createCategory(work(), { name: 'Category 0', description: 'Text 0' })).data
  const create = async (title: string, slug: string) => {
    const input = { title, slug, body: 'Body 0', is_published: true, category_ids: [category.id] }
    return (await createPost(work(), input, author.id)).data.id
  }
  const post = { id: await create('Post 0', 'post'), requireMatch }
  let other = { id: await create('Other 0', 'other-0'), requireMatch }
  await saveSettings(table, { 'general.site_name': 'Site 0' })

  const list = async (content: Content) =>
    z.array(SinglePost).parse((await showPublicList(content, POSTS, PAGE, AT)).data)
  const inList = async (content: Content) => (await list(content)).find(({ id }) => id === post.id)
  const replaceOther = async (n: number) => {
    const before = other
    other = { id: await create(`Other ${n}`, `other-${n}`), requireMatch }
    await (n % 2 ? deletePost(work(), before) : updatePost(work(), before, { is_published: false }))
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
      read: async content => numberIn(String((await readSettings(content.namesTable))['general.site_name'])),
    },
  ]
}
/** The number of places. */
export const PLACES = 7
