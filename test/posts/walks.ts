// A site that changes between the parts of a walk from cursor to cursor, and the check of the walk.
import fc from 'fast-check'
import { uncachedContent } from '../../shared/cache/content.ts'
import { createCategory } from '../../shared/categories/commands.ts'
import type { List } from '../../shared/lists/counted-list.ts'
import { deletePost, updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import type { PostInput } from '../../shared/posts/fields.ts'
import { categoryList, PAGES, POSTS } from '../../shared/posts/lists.ts'
import { type PartQuery, showAdminList, showPublicList } from '../../shared/posts/store/post-lists.ts'
import type { Table } from '../../shared/table/client.ts'
import { createUserWith } from '../support/create.ts'
import { newTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

/** Far more than the entries of any history. */
const MAX_MET = 100
const START_SECONDS = Date.parse('2026-01-01T12:00:00Z') / 1000
const AT = { key: 'the key of clients', place: 'a list' }

/** Seconds after the start: few, so that posts share a second, and some come due during the walk. */
const postedAt = fc.integer({ min: -4, max: 6 })
export const TITLES = ['Ä', 'a', 'b', 'B', 'c', 'z', 'd', 'A'] as const
const draft = fc.record({
  posted_at: postedAt,
  content_type: fc.constantFrom('post' as const, 'page' as const),
  title: fc.constantFrom(...TITLES),
})
const nth = fc.nat(100)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ publish: draft }) },
  { weight: 2, arbitrary: fc.record({ remove: nth }) },
  { weight: 1, arbitrary: fc.record({ unpublish: nth }) },
  { weight: 3, arbitrary: fc.record({ reschedule: fc.tuple(nth, postedAt) }) },
  { weight: 1, arbitrary: fc.record({ rename: fc.tuple(nth, fc.constantFrom('a', 'c', 'zz')) }) },
  { weight: 2, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 3 }) }) },
)
export const LISTS = ['newest', 'oldest', 'category', 'pages', 'admin'] as const
export const history = fc.record({
  list: fc.constantFrom(...LISTS),
  perPage: fc.integer({ min: 1, max: 4 }),
  body: fc.boolean(),
  drafts: fc.array(draft, { minLength: 4, maxLength: 10 }),
  between: fc.array(fc.array(step, { maxLength: 2 }), { minLength: 2, maxLength: 6 }),
})
export type History = typeof history extends fc.Arbitrary<infer T> ? T : never
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
export type Draft = History['drafts'][number]

type ShownPage = { data: { id: number }[]; cursor?: { next: string | null } }
/** Reads a part of a list; a planted fault replaces it. */
export type ReadPart = (
  query: PartQuery,
  read: (query: PartQuery) => Promise<ShownPage>,
) => Promise<ShownPage>

type Ref = { id: number; requireMatch: () => undefined }

/** A site with a clock, which steps change. `touched`: the ids that a step has changed. */
async function openSite(table: Table) {
  let nowSeconds = START_SECONDS
  const ids: number[] = []
  const touched = new Set<number>()
  const work = () => unitOfWorkOn(table, nowSeconds * 1000)
  const author = await createUserWith(table, ['user'], { atSeconds: nowSeconds })
  const category = (await createCategory(work(), { name: 'Category', description: '' })).data

  const publish = async ({ posted_at, title, content_type }: Draft) => {
    const input: PostInput = {
      title,
      content_type,
      posted_at: START_SECONDS + posted_at,
      is_published: true,
      category_ids: [category.id],
    }
    const { id } = (await createPost(work(), input, author.id)).data
    ids.push(id)
    return id
  }
  /** Each record is removed once. */
  const removed = new Set<number>()
  const change = async (n: number, write: (ref: Ref) => unknown) => {
    const id = ids[n % ids.length]
    if (id === undefined) return
    touched.add(id)
    if (!removed.has(id)) await write({ id, requireMatch: () => undefined })
  }
  const take = async (step: Step) => {
    if ('publish' in step) touched.add(await publish(step.publish))
    if ('unpublish' in step) {
      await change(step.unpublish, ref => updatePost(work(), ref, { is_published: false }))
    }
    if ('wait' in step) nowSeconds += step.wait
    if ('remove' in step) {
      await change(step.remove, ref => {
        removed.add(ref.id)
        return deletePost(work(), ref)
      })
    }
    if ('reschedule' in step) {
      const [n, posted_at] = step.reschedule
      await change(n, ref => updatePost(work(), ref, { posted_at: START_SECONDS + posted_at }))
    }
    if ('rename' in step) {
      const [n, title] = step.rename
      await change(n, ref => updatePost(work(), ref, { title }))
    }
  }
  return { table, publish, take, touched, category, nowMs: () => nowSeconds * 1000 }
}

type Site = Awaited<ReturnType<typeof openSite>>

function readerOf({ table, category, nowMs }: Site, { list, perPage, body }: History) {
  const lists: Record<string, List> = { pages: PAGES, category: categoryList(category.id) }
  return async ({ per_page = perPage, ...query }: Partial<PartQuery>): Promise<ShownPage> => {
    if (list === 'admin') {
      return await showAdminList(table, table, { drafts_only: false, per_page, ...query }, AT, nowMs())
    }
    const order = list === 'oldest' ? ('oldest' as const) : undefined
    const include = body ? ('body' as const) : undefined
    const asked = { per_page, order, include, ...query }
    return await showPublicList(uncachedContent(table, nowMs()), lists[list] ?? POSTS, asked, AT)
  }
}

/** By the records themselves, as the list for admins shows them. */
async function visibleTo(list: History['list'], { table, nowMs }: Site): Promise<Set<number>> {
  const query = { drafts_only: false, per_page: 100 }
  const { data } = await showAdminList(table, table, query, AT, nowMs())
  return new Set(idsOf({ data: data.filter(({ status }) => list === 'admin' || status === 'published') }))
}

function idsOf({ data }: ShownPage): number[] {
  return data.map(({ id }) => id)
}

export async function check(
  history: History,
  readPart: ReadPart = (query, read) => read(query),
): Promise<void> {
  const world = await newTable()
  try {
    await checkOn(world.table, history, readPart)
  } finally {
    await world.stop()
  }
}

async function checkOn(table: Table, history: History, readPart: ReadPart): Promise<void> {
  const site = await openSite(table)
  for (const draft of history.drafts) await site.publish(draft)
  const read = readerOf(site, history)
  const atStart = idsOf(await read({ per_page: 100 }))
  const met: number[] = []
  let query: PartQuery = { per_page: history.perPage }
  const between = history.between.values()
  for (;;) {
    const part = await readPart(query, read)
    const visible = await visibleTo(history.list, site)
    const hidden = idsOf(part).filter(id => !visible.has(id))
    if (hidden.length > 0) throw new Error(`The walk met ${hidden}, not to be seen now.`)
    met.push(...idsOf(part))
    if (met.length > MAX_MET) throw new Error('The walk does not end.')
    const next = part.cursor?.next
    if (next === null || next === undefined) break
    query = { per_page: history.perPage, after: next }
    for (const step of between.next().value ?? []) await site.take(step)
  }
  for (const id of atStart) {
    const times = met.filter(other => other === id).length
    if (!site.touched.has(id) && times !== 1) throw new Error(`The walk met ${id} ${times} times.`)
  }
}
