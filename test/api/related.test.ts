// The posts that are related to a post.
import { describe, expect, it } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

async function related({ slug }: { slug: string }) {
  return (await world.call(posts.listRelated, { params: { slug } })).data.map(({ id }) => id)
}

function change(id: number, body: unknown) {
  return world.call(adminPosts.changePost, { token: world.admin, params: { id }, body })
}

describe('GET /api/v1/posts/{slug}/related', () => {
  it('lists the posts of all its categories, newest first, with the fields of a list', async () => {
    const [a, b, c] = [
      await world.create.category(),
      await world.create.category(),
      await world.create.category(),
    ]
    const postOf = (category_ids: number[], posted_at: string) =>
      world.create.livePost({ category_ids, posted_at })
    const post = await postOf([a.id, b.id], '2020-06-01')
    const older = await postOf([a.id], '2020-01-01')
    const newer = await postOf([b.id], '2020-12-01')
    const twin = await postOf([b.id, a.id], '2020-12-01')
    await postOf([c.id], '2020-12-31')
    const { data } = await world.call(posts.listRelated, { params: { slug: post.slug } })
    expect(data.map(({ id }) => id)).toEqual([twin.id, newer.id, older.id])
    expect(Object.keys(data[0] ?? {})).toHaveLength(11)
    expect(data[0]).not.toHaveProperty('body')
  })

  it('lists no pages, drafts or scheduled posts, and no posts that left the category', async () => {
    const { id } = await world.create.category()
    const category_ids = [id]
    const post = await world.create.livePost({ category_ids })
    const [other, page, draft, moved] = [
      await world.create.livePost({ category_ids }),
      await world.create.livePost({ category_ids, content_type: 'page' }),
      await world.create.post({ category_ids }),
      await world.create.livePost({ category_ids }),
    ]
    await world.create.livePost({ category_ids, posted_at: '2999-01-01' })
    expect(await related(post)).toEqual([moved.id, other.id])

    await change(moved.id, { category_ids: [] })
    await change(page.id, { content_type: 'post', posted_at: '2001-01-01' })
    await change(draft.id, { is_published: true, posted_at: '2000-01-01' })
    expect(await related(post)).toEqual([other.id, page.id, draft.id])
  })

  it('returns an empty list for a post without a category, and as soon as its category is deleted', async () => {
    const category = await world.create.category()
    const post = await world.create.livePost({ category_ids: [category.id] })
    await world.create.livePost({ category_ids: [category.id] })
    expect(await related(await world.create.livePost())).toEqual([])
    expect(await related(post)).toHaveLength(1)
    const params = { id: category.id }
    await world.call(adminCategories.deleteCategory, { token: world.admin, params })
    expect(await related(post)).toEqual([])
  })
})
