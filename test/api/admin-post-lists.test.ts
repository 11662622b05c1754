// The lists of posts for admins, and the lists that a changed post enters and leaves.
import { describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

async function list(query: Record<string, string | number | boolean>) {
  return (
    await world.call(adminPosts.listPosts, { token: world.admin, query: { per_page: 100, ...query } })
  ).data.map(({ id }) => id)
}

describe('GET /api/v1/admin/posts', () => {
  it('lists all posts and pages by id, newest first, without bodies, or those that match the filters', async () => {
    const draft = await world.create.post({ body: '<p>secret</p>' })
    const live = await world.create.livePost()
    const scheduled = await world.create.livePost({ posted_at: '2999-01-01' })
    const page = await world.create.post({ content_type: 'page' })

    const { data, pagination } = await world.call(adminPosts.listPosts, {
      token: world.admin,
      query: { per_page: 2 },
    })
    expect(data.map(({ id, status }) => [id, status])).toEqual([
      [page.id, 'draft'],
      [scheduled.id, 'scheduled'],
    ])
    expect(data[0]).not.toHaveProperty('body')
    expect(pagination).toMatchObject({ total: 4, last_page: 2 })
    expect(await list({ drafts_only: true })).toEqual([page.id, draft.id])
    expect(await list({ drafts_only: false })).toHaveLength(4)
    expect(await list({ content_type: 'page' })).toEqual([page.id])
    expect(await list({ content_type: 'post', drafts_only: true })).toEqual([draft.id])
    expect(await list({ slug: live.slug })).toEqual([live.id])
    expect(await list({ slug: live.slug, drafts_only: true })).toEqual([])
    expect(await list({ slug: 'unknown' })).toEqual([])
  })
})

describe('a live post that becomes a page and a post again', () => {
  it('moves from the lists of posts to the list of pages and back', async () => {
    const category = await world.create.category()
    const post = await world.create.livePost({ category_ids: [category.id] })
    const params = { slug: post.slug }
    const become = (content_type: string) =>
      world.call(adminPosts.changePost, {
        token: world.admin,
        params: { id: post.id },
        body: { content_type },
      })
    const read = async () => ({
      post: (await world.call(posts.getPost, { params })).status,
      page: (await world.call(posts.getPage, { params })).status,
      inCategory: (await world.call(posts.listPosts, { query: { category: category.slug } })).pagination
        .total,
      inPages: (await world.call(posts.listPages, { query: { per_page: 100 } })).data.some(
        ({ id }) => id === post.id,
      ),
    })
    const asPost = { post: 200, page: 404, inCategory: 1, inPages: false }

    expect(await read()).toEqual(asPost)
    await become('page')
    expect(await read()).toEqual({ post: 404, page: 200, inCategory: 0, inPages: true })
    await become('post')
    expect(await read()).toEqual(asPost)
  })
})
