// Everything that is listed, page by page to the end and one further, held against the model.
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import type { EventMessage } from '../../shared/events/message.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { isoTime, parseTime } from '../../shared/http/time.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import type { Model, ModelPost } from './model.ts'
import type { Ask, HistoryWorld } from './world.ts'

const Data = z.object({
  id: z.int(),
  slug: z.string(),
  version: z.int(),
  previous_slug: z.optional(z.string()),
})

/** An event as the model tells it. */
export function lineOf({ event, occurred_at, data }: EventMessage): string {
  const { id, slug, version, previous_slug } = Data.parse(data)
  const was = previous_slug === undefined ? '' : ` was ${previous_slug}`
  return `${event} ${id} ${slug} v${version} at ${parseTime(occurred_at)}${was}`
}

export async function expectSame(world: HistoryWorld, model: Model, perPage: number): Promise<void> {
  await expectCounts(world, model)
  await expectSlugs(world, model)
  const lists = [
    expectList(world, posts.listPosts, {}, perPage, shownPosts(model, model.livePosts())),
    expectList(world, posts.listPages, {}, perPage, shownPosts(model, model.livePages())),
    ...model.categories().flatMap(({ id, slug }) => {
      const shown = shownPosts(model, model.livePosts(id))
      return [
        expectList(world, categories.listPostsOfCategory, { params: { slug } }, perPage, shown),
        expectList(world, posts.listPosts, { query: { category: slug } }, perPage, shown),
      ]
    }),
    ...[false, true].flatMap(drafts_only =>
      ([undefined, 'post', 'page'] as const).map(kind => {
        const query = { drafts_only, ...(kind && { content_type: kind }) }
        const shown = model.forAdmin(drafts_only, kind).map(post => adminShown(model, post))
        return expectList(world, adminPosts.listPosts, { query }, perPage, shown)
      }),
    ),
    ...model
      .posts()
      .slice(0, 2)
      .map(post => {
        const shown = [adminShown(model, post)]
        return expectList(world, adminPosts.listPosts, { query: { slug: post.slug } }, perPage, shown)
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
  for (const one of expected.slice(0, 2)) {
    expect((await call(categories.getCategory, { params: { slug: one.slug } })).read()).toEqual(one)
    expect((await call(adminCategories.getCategory, { params: { id: one.id } })).read()).toEqual(one)
  }
}

const MOST_SLUGS = 8

/** A slug that was given up, or whose post is not in public view, names nothing. */
async function expectSlugs({ call }: HistoryWorld, model: Model): Promise<void> {
  for (const slug of model.slugs.categories) {
    const { status } = await call(categories.listPostsOfCategory, { params: { slug } })
    expect([slug, status]).toEqual([slug, model.isCategorySlugTaken(slug) ? 200 : 404])
  }
  const live = new Set(model.livePosts().map(post => post.slug))
  for (const slug of [...model.slugs.posts].slice(-MOST_SLUGS)) {
    const { status } = await call(posts.getPost, { params: { slug } })
    expect([slug, status]).toEqual([slug, live.has(slug) ? 200 : 404])
  }
}

/** Each expected item with all the members that the model knows. */
async function expectList(
  { call }: HistoryWorld,
  endpoint: Endpoint,
  { params, query }: Ask,
  perPage: number,
  expected: object[],
): Promise<void> {
  const total = expected.length
  const lastPage = Math.max(1, Math.ceil(total / perPage))
  const pages = Array.from({ length: lastPage + 1 }, async (_, n) => {
    const ask = { ...(params && { params }), query: { ...query, page: n + 1, per_page: perPage } }
    const { read, pagination } = await call(endpoint, ask)
    const items = expected.slice(n * perPage, (n + 1) * perPage)
    const from = items.length > 0 ? n * perPage + 1 : 0
    const place = { total, last_page: lastPage, from, to: items.length > 0 ? from + items.length - 1 : 0 }
    const name = `${endpoint.path} ${JSON.stringify(ask)}`
    expect(read(), name).toMatchObject(items)
    expect(pagination, name).toEqual({ current_page: n + 1, per_page: perPage, ...place })
  })
  await Promise.all(pages)
}

function shownPosts(model: Model, found: ModelPost[]) {
  return found.map(post => shown(model, post))
}

function shown(model: Model, post: ModelPost) {
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

function adminShown(model: Model, post: ModelPost) {
  return {
    ...shown(model, post),
    is_published: post.isPublished,
    status: model.isLive(post) ? 'published' : post.isPublished ? 'scheduled' : 'draft',
    version: post.version,
  }
}
