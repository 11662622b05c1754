// Compares every list of the service with the model: all pages, and the empty one after the last.
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import type { EventMessage } from '../../shared/events/message.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { isoTime, parseTime } from '../../shared/http/time.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import type { Model, ModelPost } from './model.ts'
import type { CallInput, HistoryWorld } from './world.ts'

const Data = z.strictObject({
  id: z.int(),
  slug: z.string(),
  url: z.string(),
  posted_at: z.nullable(z.string()),
  title: z.string(),
  content_type: z.string(),
  version: z.int(),
  previous_slug: z.optional(z.string()),
})

const OLDEST = { query: { order: 'oldest' } }

/** An event in the form that the model uses. */
export function eventLine({ event, occurred_at, data }: EventMessage): string {
  const { id, url, posted_at, title, content_type, version, previous_slug } = Data.parse(data)
  const previous = previous_slug === undefined ? '' : ` was ${previous_slug}`
  const post = `${content_type} ${id} ${title} v${version} ${url} of ${posted_at && parseTime(posted_at)}`
  return `${event} ${post} at ${parseTime(occurred_at)}${previous}`
}

export async function expectEqual(world: HistoryWorld, model: Model, perPage: number): Promise<void> {
  await expectCounts(world, model)
  await expectSlugs(world, model)
  const lists = [
    expectList(world, posts.listPosts, {}, perPage, publicItems(model, model.livePosts())),
    expectList(world, posts.listPosts, OLDEST, perPage, publicItems(model, model.livePosts().toReversed())),
    expectList(world, posts.listPages, {}, perPage, publicItems(model, model.livePages())),
    ...model.categories().flatMap(({ id, slug }) => {
      const publicItem = publicItems(model, model.livePosts(id))
      return [
        expectList(world, categories.listPostsOfCategory, { params: { slug } }, perPage, publicItem),
        expectList(world, posts.listPosts, { query: { category: slug } }, perPage, publicItem),
      ]
    }),
    ...[false, true].flatMap(drafts_only =>
      ([undefined, 'post', 'page'] as const).map(kind => {
        const query = { drafts_only, ...(kind && { content_type: kind }) }
        const publicItem = model.forAdmin(drafts_only, kind).map(post => adminItem(model, post))
        return expectList(world, adminPosts.listPosts, { query }, perPage, publicItem)
      }),
    ),
    ...model
      .posts()
      .slice(0, 2)
      .map(post => {
        const publicItem = [adminItem(model, post)]
        return expectList(world, adminPosts.listPosts, { query: { slug: post.slug } }, perPage, publicItem)
      }),
  ]
  await Promise.all(lists)
}

async function expectCounts({ call }: HistoryWorld, model: Model): Promise<void> {
  const expected = model
    .categories()
    .map(category => ({ ...category, posts_count: model.livePosts(category.id).length }))
  expect((await call(categories.listCategories)).read()).toEqual(expected)
  expect((await call(adminCategories.listCategories)).read()).toEqual(expected)
  for (const category of expected.slice(0, 2)) {
    expect((await call(categories.getCategory, { params: { slug: category.slug } })).read()).toEqual(category)
    expect((await call(adminCategories.getCategory, { params: { id: category.id } })).read()).toEqual(
      category,
    )
  }
}

const MAX_SLUGS = 8

/** A slug that is no longer used, or whose post is not public, is not found. */
async function expectSlugs({ call }: HistoryWorld, model: Model): Promise<void> {
  for (const slug of model.slugs.categories) {
    const { status } = await call(categories.listPostsOfCategory, { params: { slug } })
    expect([slug, status]).toEqual([slug, model.isCategorySlugTaken(slug) ? 200 : 404])
  }
  const live = new Set(model.livePosts().map(post => post.slug))
  for (const slug of [...model.slugs.posts].slice(-MAX_SLUGS)) {
    const { status } = await call(posts.getPost, { params: { slug } })
    expect([slug, status]).toEqual([slug, live.has(slug) ? 200 : 404])
  }
}

/** Each item has at least the members that the model has. */
async function expectList(
  { call }: HistoryWorld,
  endpoint: Endpoint,
  { params, query }: CallInput,
  perPage: number,
  expected: object[],
): Promise<void> {
  const total = expected.length
  const lastPage = Math.max(1, Math.ceil(total / perPage))
  const pages = Array.from({ length: lastPage + 1 }, async (_, n) => {
    const input = { ...(params && { params }), query: { ...query, page: n + 1, per_page: perPage } }
    const { read, pagination } = await call(endpoint, input)
    const items = expected.slice(n * perPage, (n + 1) * perPage)
    const from = items.length > 0 ? n * perPage + 1 : 0
    const position = { total, last_page: lastPage, from, to: items.length > 0 ? from + items.length - 1 : 0 }
    const name = `${endpoint.path} ${JSON.stringify(input)}`
    expect(read(), name).toMatchObject(items)
    expect(pagination, name).toEqual({ current_page: n + 1, per_page: perPage, ...position })
  })
  await Promise.all(pages)
}

function publicItems(model: Model, found: ModelPost[]) {
  return found.map(post => publicItem(model, post))
}

function publicItem(model: Model, post: ModelPost) {
  return {
    id: post.id,
    title: post.title,
    slug: post.slug,
    excerpt: post.summary,
    content_type: post.kind,
    posted_at: post.at === null ? null : isoTime(post.at),
    updated_at: isoTime(post.updatedAt),
    categories: model
      .categories()
      .filter(({ id }) => post.categoryIds.includes(id))
      .map(({ id, name, slug }) => ({ id, name, slug })),
  }
}

function adminItem(model: Model, post: ModelPost) {
  return {
    ...publicItem(model, post),
    is_published: post.isPublished,
    status: model.isLive(post) ? 'published' : post.isPublished ? 'scheduled' : 'draft',
    version: post.version,
  }
}
