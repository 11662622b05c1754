// What a function remembers of public content: what reads cost, and when they are made again.
import { beforeAll, describe, expect, it } from 'vitest'
import { createCategory } from '../../shared/categories/commands.ts'
import { categories } from '../../shared/categories/contract.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { posts } from '../../shared/posts/contract.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { saveMenu } from '../../shared/site/commands.ts'
import { site } from '../../shared/site/contract.ts'
import { callOf, openChain } from '../support/chain.ts'
import type { EventOptions } from '../support/proxy-event.ts'
import { contentIsRemembered } from '../support/remembered.ts'
import { use } from '../support/use.ts'
import { unitOfWorkOn } from '../support/work.ts'

const call = callOf((await import('../../functions/public.ts')).handler)

const chain = use(() => openChain({ LIMIT_SCALE: '1000' }))
let authorId = 0
let category: { id: number; slug: string }

function work() {
  return unitOfWorkOn(chain.table, chain.clock.nowMs)
}

async function createPublished(title: string, postedInSeconds = 0) {
  const { nowSeconds } = work()
  const posted_at = nowSeconds + postedInSeconds
  const input = { title, is_published: true, category_ids: [category.id], posted_at }
  return (await createPost(work(), input, authorId)).data
}

beforeAll(async () => {
  setRuntime(chain.runtime)
  authorId = (await chain.user(['admin'])).id
  category = (await createCategory(work(), { name: 'Bees', description: '' })).data
  for (let n = 0; n < 15; n++) await createPublished(`Post ${n}`)
  await createPublished('Due in an hour', 3_600)
  await saveMenu(work(), { location: 'main', items: [] })
})

/** Waits until what is read is remembered, and reads once. */
async function rememberAnswer(request: () => Promise<unknown>) {
  await contentIsRemembered(chain.table, chain.clock.nowMs)
  await request()
}

type Ask = EventOptions
const READS: Record<string, (ask?: Ask) => ReturnType<typeof call>> = {
  'a list of posts': ask => call(posts.listPosts, ask),
  'its second page': ask => call(posts.listPosts, { ...ask, query: { page: '2' } }),
  'the posts of a category': ask => call(posts.listPosts, { ...ask, query: { category: category.slug } }),
  'posts with their bodies': ask => call(posts.listPosts, { ...ask, query: { include: 'body' } }),
  'a post': ask => call(posts.getPost, { ...ask, params: { slug: 'post-3' } }),
  'related posts': ask => call(posts.listRelated, { ...ask, params: { slug: 'post-3' } }),
  'the list of pages': ask => call(posts.listPages, ask),
  'all categories': ask => call(categories.listCategories, ask),
  'a category': ask => call(categories.getCategory, { ...ask, params: { slug: category.slug } }),
  'a page of a category': ask =>
    call(categories.listPostsOfCategory, { ...ask, params: { slug: category.slug } }),
  'the settings': ask => call(site.getPublicSettings, ask),
  'a menu': ask => call(site.getMenu, { ...ask, params: { location: 'main' } }),
}
const ONE_UNIT = { calls: 2, roundTrips: 1, readUnits: 1, writeUnits: 1 }

describe.each(Object.entries(READS))('a repeated read of %s', (_, request) => {
  it('takes one round trip of two calls and one read unit, with the same answer', async () => {
    await rememberAnswer(request)
    const first = await request()
    const { result, used } = await chain.measure(request)
    expect([first.status, result.status]).toEqual([200, 200])
    expect(result.text).toBe(first.text)
    expect(used).toEqual(ONE_UNIT)
  })

  it('takes as little for a client that has the answer, which gets a 304', async () => {
    await rememberAnswer(request)
    const { ETag = '' } = (await request()).headers
    const { result, used } = await chain.measure(() => request({ headers: { 'If-None-Match': ETag } }))
    expect(result.status).toBe(304)
    expect(used).toEqual(ONE_UNIT)
  })
})

describe('another page of a list', () => {
  it('reads only its entries, because the nodes of the list are remembered', async () => {
    await rememberAnswer(() => call(posts.listPosts, { query: { page: '2', per_page: '3' } }))
    const { used } = await chain.measure(() => call(posts.listPosts, { query: { page: '3', per_page: '3' } }))
    expect(used).toMatchObject({ calls: 3, roundTrips: 2 })
  })
})

describe('a scheduled post', () => {
  it('is in the remembered list from its second on, and not before', async () => {
    await createPublished('Due soon', 60)
    const list = () => call(posts.listPosts)
    await rememberAnswer(list)
    const dueMs = (work().nowSeconds + 60) * 1000
    chain.clock.nowMs = dueMs - 1
    await list()
    const before = await chain.measure(list)
    expect(before.used).toEqual(ONE_UNIT)
    expect(before.result.text).not.toContain('Due soon')
    chain.clock.nowMs = dueMs
    expect((await list()).text).toContain('Due soon')
    await rememberAnswer(list)
    const { result, used } = await chain.measure(list)
    expect(result.text).toContain('Due soon')
    expect(used).toEqual(ONE_UNIT)
  })
})
