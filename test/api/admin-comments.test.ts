// Comments for admins: the list, approval, rejection and deletion.
import { describe, expect, it } from 'vitest'
import { adminComments, ownComments } from '../../shared/comments/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { commentWorld } from '../world/comment-world.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { submit, approve, reject, remove, list: listPublic } = commentWorld(world)

function list(query = {}) {
  return world.call(adminComments.listComments, { token: world.admin, query })
}

async function create(slug: string) {
  return (await submit(slug)).data
}

async function total(status?: string) {
  return (await list(status ? { status } : {})).pagination.total
}

async function totals() {
  return [await total(), await total('pending'), await total('approved'), await total('rejected')]
}

async function visibleIds(slug: string) {
  return (await listPublic(slug)).data.map(({ id }) => id)
}

describe('GET /api/v1/admin/comments', () => {
  it('lists all comments, newest first, with their authors and the current slug of the post', async () => {
    const post = await world.create.livePost()
    const user = await world.create.user({ abilities: ['comments:write'] })
    const ofGuest = await create(post.slug)
    const body = { post_id: post.id, body: 'Mine' }
    const ofUser = (await world.call(ownComments.createOwnComment, { token: user.token, body })).data
    const moved = { token: world.admin, params: { id: post.id }, body: { slug: `${post.slug}-moved` } }
    await world.call(adminPosts.changePost, moved)
    const { data } = await list({ per_page: 2 })
    const post_slug = `${post.slug}-moved`
    expect(data).toEqual([
      { ...ofUser, user_id: user.id, author_email: user.email, post_slug },
      { ...ofGuest, user_id: null, author_email: 'Ada@Example.com', post_slug },
    ])
  })
})

describe('POST /api/v1/admin/comments/{id}/approve and …/reject', () => {
  it('return the comment, and fire comment.approved once for each change to approved', async () => {
    const subscriber = await openSubscriber()
    const { id: post_id, slug } = await world.create.livePost()
    const { id } = await create(slug)
    await world.create.webhook(subscriber.url, { events: ['comment.created', 'comment.approved'] })
    const results = []
    for (const act of [approve, approve, reject, reject, approve]) {
      const { status, data } = await act(id)
      results.push([status, data.status, (await visibleIds(slug)).length])
      expect(data).toMatchObject({ id, post_id, post_slug: slug, author_email: 'Ada@Example.com' })
    }
    expect(results).toEqual([
      [200, 'approved', 1],
      [200, 'approved', 1],
      [200, 'rejected', 0],
      [200, 'rejected', 0],
      [200, 'approved', 1],
    ])
    const last = await create(slug)
    await subscriber.waitFor(3)
    expect(subscriber.events().toSorted()).toEqual([
      'comment.approved',
      'comment.approved',
      'comment.created',
    ])
    expect(subscriber.named('comment.created')[0]?.data.id).toBe(last.id)
    for (const { data } of subscriber.named('comment.approved')) {
      expect(data).toEqual({
        id,
        post_id,
        slug,
        url: `${world.baseUrl}/blog/${slug}#comment-${id}`,
        parent_id: null,
        status: 'approved',
        author_name: 'Ada',
      })
    }
  })

  it('act once for twenty concurrent requests', async () => {
    const subscriber = await openSubscriber()
    const { slug } = await world.create.livePost()
    const [{ id }, other] = [await create(slug), await create(slug)]
    await world.create.webhook(subscriber.url, { events: ['comment.approved'] })
    const answers = await Promise.all(Array.from({ length: 20 }, () => approve(id)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    await approve(other.id)
    await subscriber.waitFor(2)
    expect(subscriber.received.map(({ data }) => data.id).toSorted()).toEqual([id, other.id])
    expect(await visibleIds(slug)).toEqual([id, other.id])
  })

  it('work for the comments of an unpublished post', async () => {
    const { id: post_id, slug } = await world.create.livePost()
    const { id } = await create(slug)
    const post = { token: world.admin, params: { id: post_id } }
    await world.call(adminPosts.unpublishPost, post)
    expect((await approve(id)).data).toMatchObject({ status: 'approved', post_slug: slug })
    await world.call(adminPosts.publishPost, post)
    expect(await visibleIds(slug)).toEqual([id])
  })
})

describe('DELETE /api/v1/admin/comments/{id}', () => {
  it('removes the comment from every list permanently, without an event', async () => {
    const subscriber = await openSubscriber()
    const { id: post_id, slug } = await world.create.livePost()
    const user = await world.create.user({ abilities: ['comments:write'] })
    const body = { post_id, body: 'Mine' }
    const { id } = (await world.call(ownComments.createOwnComment, { token: user.token, body })).data
    await approve(id)
    const [all = 0, pending, approved = 0, rejected] = await totals()
    await world.create.webhook(subscriber.url)
    expect(await remove(id)).toMatchObject({ status: 200, data: {} })
    expect(await totals()).toEqual([all - 1, pending, approved - 1, rejected])
    expect(await visibleIds(slug)).toEqual([])
    expect((await world.call(ownComments.listOwnComments, { token: user.token })).pagination.total).toBe(0)
    for (const act of [remove, approve, reject]) expect((await act(id)).code).toBe('NOT_FOUND')
    expect(
      (
        await world.call(ownComments.createOwnComment, {
          token: user.token,
          body: { ...body, parent_id: id },
        })
      ).fields,
    ).toHaveProperty('parent_id')
    await create(slug)
    await subscriber.waitFor(1)
    expect(subscriber.events()).toEqual(['comment.created'])
  })
})
