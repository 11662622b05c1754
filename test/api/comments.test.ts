// Comments of guests and users for readers and admins: which are accepted and shown, and what they fire.
import { describe, expect, it } from 'vitest'
import { adminComments, ownComments } from '../../shared/comments/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { commentWorld, GUEST_COMMENT } from '../support/comment-world.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const MAX_PENDING = 20

const world = useWorld()
const { submit, list, approve, reject, remove, submitApproved } = commentWorld(world)

describe('POST /api/v1/posts/{slug}/comments', () => {
  it('creates a comment that is pending approval, and fires comment.created', async () => {
    const subscriber = await openSubscriber()
    const { slug, id: post_id } = await world.create.livePost({ slug: 'a-post-of-tea' })
    await world.create.webhook(subscriber.url, { events: ['comment.created', 'comment.approved'] })
    const body = ' <b>Tea</b>\n& milk 🍵 '
    const { status, data, text } = await submit(slug, { author_name: ' Ada ', body })
    expect(status).toBe(201)
    expect(data).toEqual({
      id: data.id,
      post_id,
      parent_id: null,
      author: { name: 'Ada', avatar: null },
      body,
      status: 'pending',
      created_at: expect.stringMatching(/\+00:00$/),
    })
    expect(text.toLowerCase()).not.toContain(GUEST_COMMENT.author_email.toLowerCase())
    const [event] = await subscriber.waitFor(1)
    expect(event).toMatchObject({ event: 'comment.created' })
    expect(event?.data).toMatchObject({ id: data.id, status: 'pending', author_name: 'Ada' })
    expect((await list(slug)).pagination.total).toBe(0)
  })

  it('accepts replies to approved comments of the same post, at most three levels deep', async () => {
    const [{ slug }, other] = [await world.create.livePost(), await world.create.livePost()]
    const root = await submitApproved(slug)
    const reply = await submitApproved(slug, { parent_id: root.id })
    const third = await submitApproved(slug, { parent_id: reply.id })
    expect([root, reply, third].map(({ parent_id }) => parent_id)).toEqual([null, root.id, reply.id])
    const pending = (await submit(slug)).data
    const rejected = await submitApproved(slug)
    await reject(rejected.id)
    for (const parent_id of [third.id, pending.id, rejected.id, 999_999]) {
      expect((await submit(slug, { parent_id })).fields).toEqual({ parent_id: [expect.any(String)] })
    }
    expect((await submit(other.slug, { parent_id: root.id })).fields).toHaveProperty('parent_id')
    await reject(root.id)
    expect((await submit(slug, { parent_id: reply.id })).data).toMatchObject({ parent_id: reply.id })
  })
})

describe('GET /api/v1/posts/{slug}/comments', () => {
  /** A root, a reply to it, and a reply to that. */
  async function thread() {
    const { slug } = await world.create.livePost()
    const root = await submitApproved(slug, { body: 'root' })
    const reply = await submitApproved(slug, { body: 'reply', parent_id: root.id })
    const third = await submitApproved(slug, { body: 'third', parent_id: reply.id })
    const visible = async () => {
      const { data, pagination } = await list(slug)
      expect(pagination.total).toBe(data.length)
      return data.map(({ body, parent_id }) => [body, parent_id])
    }
    return { slug, root, reply, third, visible }
  }

  it('shows a comment whose parent is rejected, with its parent_id', async () => {
    const { slug, root, reply, third, visible } = await thread()
    await reject(root.id)
    expect(await visible()).toEqual([
      ['reply', root.id],
      ['third', reply.id],
    ])
    const late = await submitApproved(slug, { body: 'late', parent_id: reply.id })
    expect(late.parent_id).toBe(reply.id)
    await reject(reply.id)
    expect(await visible()).toEqual([
      ['third', reply.id],
      ['late', reply.id],
    ])
    expect((await submit(slug, { parent_id: third.id })).fields).toHaveProperty('parent_id')
  })

  it('returns 404 while the post is not public, and the comments when it is again, even under a new slug', async () => {
    const post = await world.create.livePost()
    const comment = await submitApproved(post.slug)
    const change = (body: unknown) =>
      world.call(adminPosts.changePost, { token: world.admin, params: { id: post.id }, body })
    await change({ is_published: false })
    expect((await list(post.slug)).code).toBe('NOT_FOUND')
    await change({ is_published: true, content_type: 'page' })
    for (const answer of [await list(post.slug), await submit(post.slug, { parent_id: 1 })]) {
      expect(answer.code).toBe('NOT_FOUND')
    }
    await change({ content_type: 'post', slug: `${post.slug}-moved` })
    expect((await list(post.slug)).code).toBe('NOT_FOUND')
    expect((await list(`${post.slug}-moved`)).data).toEqual([{ ...comment, status: 'approved' }])
  })
})

async function visibleIds(slug: string) {
  return (await list(slug)).data.map(({ id }) => id)
}

describe('GET /api/v1/admin/comments', () => {
  it('lists all comments, newest first, with their authors and the current slug of the post', async () => {
    const post = await world.create.livePost()
    const user = await world.create.user({ abilities: ['comments:write'] })
    const ofGuest = (await submit(post.slug)).data
    const body = { post_id: post.id, body: 'Mine' }
    const ofUser = (await world.call(ownComments.createOwnComment, { token: user.token, body })).data
    const moved = { token: world.admin, params: { id: post.id }, body: { slug: `${post.slug}-moved` } }
    await world.call(adminPosts.changePost, moved)
    const newest = { token: world.admin, query: { per_page: 2 } }
    const { data } = await world.call(adminComments.listComments, newest)
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
    const { id } = (await submit(slug)).data
    await world.create.webhook(subscriber.url, { events: ['comment.created', 'comment.approved'] })
    for (const act of [approve, approve, reject, reject, approve]) {
      const { status, data } = await act(id)
      expect([status, data.status]).toEqual([200, act === approve ? 'approved' : 'rejected'])
      expect(await visibleIds(slug)).toEqual(act === approve ? [id] : [])
      expect(data).toMatchObject({ id, post_id, post_slug: slug, author_email: 'Ada@Example.com' })
    }
    const last = (await submit(slug)).data
    await subscriber.waitFor(3)
    expect(subscriber.named('comment.created').map(({ data }) => data.id)).toEqual([last.id])
    expect(subscriber.named('comment.approved')).toHaveLength(2)
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
    const [{ id }, other] = [(await submit(slug)).data, (await submit(slug)).data]
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
    const { id } = (await submit(slug)).data
    const post = { token: world.admin, params: { id: post_id } }
    await world.call(adminPosts.unpublishPost, post)
    expect((await approve(id)).data).toMatchObject({ status: 'approved', post_slug: slug })
    await world.call(adminPosts.publishPost, post)
    expect(await visibleIds(slug)).toEqual([id])
  })
})

describe('DELETE /api/v1/admin/comments/{id}', () => {
  it('removes the comment permanently, without an event', async () => {
    const subscriber = await openSubscriber()
    const { slug } = await world.create.livePost()
    const { id } = await submitApproved(slug)
    await world.create.webhook(subscriber.url)
    expect(await remove(id)).toMatchObject({ status: 200, data: {} })
    expect(await visibleIds(slug)).toEqual([])
    for (const act of [remove, approve, reject]) expect((await act(id)).code).toBe('NOT_FOUND')
    expect((await submit(slug, { parent_id: id })).fields).toHaveProperty('parent_id')
    await submit(slug)
    await subscriber.waitFor(1)
    expect(subscriber.events()).toEqual(['comment.created'])
  })
})

async function openThread() {
  const [{ id: post_id }, { token }] = await Promise.all([
    world.create.livePost(),
    world.create.user({ abilities: ['comments:write'] }),
  ])
  const write = (body: Record<string, unknown> = {}) =>
    world.call(ownComments.createOwnComment, { token, body: { post_id, body: 'Well said.', ...body } })
  /** Submits as many comments as can be pending, and returns their ids. */
  const fill = async () => {
    const ids: number[] = []
    for (let n = 0; n < MAX_PENDING; n++) ids.push((await write()).data.id)
    return ids
  }
  const isAccepted = async () => (await write()).status === 201
  return { post_id, token, write, fill, isAccepted }
}

describe('POST /api/v1/me/comments', () => {
  it('returns 429 with the reason for the 21st pending comment, and does not store it', async () => {
    const { token, write, fill } = await openThread()
    const ids = await fill()
    const excess = await write()
    const { status, code, headers } = excess
    expect([status, code, headers.get('Retry-After')]).toEqual([429, 'RATE_LIMITED', '3600'])
    expect(excess.message).toContain('20 of your comments are pending approval')
    // Like every 429, it is reported before an unknown post.
    expect((await write({ post_id: 999_999 })).code).toBe('RATE_LIMITED')
    const { data } = await world.call(ownComments.listOwnComments, { token, query: { per_page: 100 } })
    expect(data.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids)

    const other = await openThread()
    expect(await other.isAccepted()).toBe(true)
  })

  it('accepts one more for each pending comment that is approved, rejected or deleted, even with its post', async () => {
    const { post_id, write, fill, isAccepted } = await openThread()
    const [first = 0, second = 0, third = 0] = await fill()
    for (const makeRoom of [() => approve(first), () => reject(second), () => remove(third)]) {
      expect(await isAccepted()).toBe(false)
      await makeRoom()
      expect(await isAccepted()).toBe(true)
    }
    expect(await isAccepted()).toBe(false)
    const { id: otherPostId } = await world.create.livePost()
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id: post_id } })
    const isAcceptedThere = async () => (await write({ post_id: otherPostId })).status === 201
    await until('the comments of the deleted post not to count', isAcceptedThere)
  })

  it('accepts twenty of 24 concurrent comments', async () => {
    const { write } = await openThread()
    const answers = await Promise.all(Array.from({ length: 24 }, () => write()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MAX_PENDING)
    expect(answers.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(4)
  })
})
