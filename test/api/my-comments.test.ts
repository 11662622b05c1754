// Comments of users, on a site that requires no approval.
import { describe, expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { type Comment, guestComments, ownComments } from '../../shared/comments/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { commentWorld } from '../support/comment-world.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ settings: { 'comments.require_approval': false } })
const { list, approve, reject } = commentWorld(world)

function commenter() {
  return world.create.user({ abilities: ['comments:write'] })
}

function submit(token: string, body: Record<string, unknown>) {
  return world.call(ownComments.createOwnComment, { token, body: { body: 'Well said.', ...body } })
}

function listOwn(token: string, query = {}) {
  return world.call(ownComments.listOwnComments, { token, query })
}

describe('POST /api/v1/me/comments', () => {
  it('creates an approved comment, which is visible immediately and fires only comment.created', async () => {
    const subscriber = await openSubscriber()
    const [{ id: post_id, slug }, user] = [await world.create.livePost({ slug: 'ü' }), await commenter()]
    const events = ['comment.created', 'comment.approved', 'test.ping']
    await world.create.webhook(subscriber.url, { events })
    const { status, data } = await submit(user.token, { post_id })
    expect(status).toBe(201)
    expect(data).toEqual({
      id: data.id,
      post_id,
      parent_id: null,
      author: { name: user.name, avatar: null },
      body: 'Well said.',
      status: 'approved',
      created_at: expect.any(String),
    })
    expect((await list(slug)).data).toEqual([data])
    const reply = (await submit(user.token, { post_id, parent_id: data.id })).data
    await subscriber.waitFor(2)
    expect(subscriber.events()).toEqual(['comment.created', 'comment.created'])
    const event = subscriber.received.find(delivery => delivery.data.id === reply.id)
    expect(event?.data).toEqual({
      id: reply.id,
      post_id,
      slug,
      url: `${world.baseUrl}/blog/%C3%BC#comment-${reply.id}`,
      parent_id: data.id,
      status: 'approved',
      author_name: user.name,
    })
  })

  it('contains the new name and picture of a user who has just changed them, in answers and events', async () => {
    const subscriber = await openSubscriber()
    const { id: post_id, author } = await world.create.livePost()
    await world.create.webhook(subscriber.url, { events: ['comment.created', 'comment.approved'] })
    const user = await world.create.user({ abilities: ['user', 'comments:write'] })
    await submit(user.token, { post_id })
    const profile = { name: 'Mary Somerville', avatar: 'https://a.example/mary.png' }
    await world.call(me.changeMe, { token: user.token, body: profile })
    const { data } = await submit(user.token, { post_id })
    expect(data.author).toEqual(profile)
    await reject(data.id)
    const approved = await approve(data.id)
    expect(approved.data.author).toEqual(profile)
    await subscriber.waitFor(3)
    const events = subscriber.received.filter(delivery => delivery.data.id === data.id)
    expect(events.map(delivery => delivery.data.author_name)).toEqual(['Mary Somerville', 'Mary Somerville'])
    expect(author.name).not.toBe('Mary Somerville')
  })

  it('finds the post by its id or its slug, and by its id if both are given', async () => {
    const [{ id, slug }, other, { token }] = [
      await world.create.livePost(),
      await world.create.livePost(),
      await commenter(),
    ]
    const references = [
      { post_id: id },
      { post_slug: ` ${slug} ` },
      { post_id: id, post_slug: other.slug },
      { post_id: id, post_slug: 'unknown' },
      { post_id: id, post_slug: '' },
      { post_id: id, parent_id: null },
    ]
    for (const name of references) expect((await submit(token, name)).data.post_id).toBe(id)
    for (const name of [{}, { post_slug: ' ' }]) {
      expect((await submit(token, { ...name, body: ' ' })).fields).toEqual({
        post_id: [expect.any(String)],
        body: [expect.any(String)],
      })
    }
    expect(Object.keys((await submit(token, { post_id: 'x' })).fields ?? {})).toEqual(['post_id'])
  })

  it('returns 404 for a post that is not public', async () => {
    const { token } = await commenter()
    const hidden = [
      await world.create.post(),
      await world.create.livePost({ posted_at: '2999-01-01' }),
      await world.create.livePost({ content_type: 'page' }),
      { id: 999_999, slug: 'unknown' },
    ]
    for (const { id, slug } of hidden) {
      for (const name of [{ post_id: id }, { post_slug: slug }]) {
        expect((await submit(token, { ...name, parent_id: 999_999 })).code).toBe('NOT_FOUND')
      }
    }
  })
})

describe('POST /api/v1/posts/{slug}/comments', () => {
  it('returns 403 for any body unless the settings allow guests', async () => {
    const { slug } = await world.create.livePost()
    for (const params of [{ slug }, { slug: 'unknown' }]) {
      for (const body of [{ author_name: 'A', author_email: 'a@example.com', body: 'B' }, {}, undefined]) {
        const { status, code } = await world.call(guestComments.createGuestComment, { params, body })
        expect([status, code]).toEqual([403, 'FORBIDDEN'])
      }
    }
  })
})

describe('GET /api/v1/me/comments', () => {
  it('lists the comments of the caller, newest first, with any status, even on unpublished posts', async () => {
    const [user, other, post] = [await commenter(), await commenter(), await world.create.livePost()]
    const created: Comment[] = []
    for (let n = 0; n < 4; n++) {
      const { data } = await submit(user.token, { post_id: post.id, body: `${n}` })
      created.push(data)
    }
    await submit(other.token, { post_id: post.id })
    await reject(created[1]?.id ?? 0)
    await world.call(adminPosts.unpublishPost, { token: world.admin, params: { id: post.id } })
    const { data, pagination } = await listOwn(user.token, { per_page: 3 })
    const shown = data.map(({ body, status }) => `${body} ${status}`)
    expect(shown).toEqual(['3 approved', '2 approved', '1 rejected'])
    expect(pagination).toMatchObject({ total: 4, last_page: 2 })
    expect((await listOwn(user.token, { per_page: 3, page: 2 })).data).toEqual([created[0]])
    expect((await listOwn(other.token)).pagination.total).toBe(1)
  })
})

/** This describe must be the last one, since it closes the comments. */
describe('a site whose comments are closed', () => {
  it('refuses comments on any post and with any body, and still lists those that it has', async () => {
    const { id: post_id, slug } = await world.create.livePost()
    const { token } = await commenter()
    await submit(token, { post_id })
    const body = { 'comments.enabled': false }
    await world.call(adminSite.changeSettings, { token: world.admin, body })
    await until('comments to be closed', async () => (await submit(token, { post_id })).status === 403)
    for (const invalid of [{ post_id: 999_999 }, { post_id, body: '' }]) {
      expect((await submit(token, invalid)).code).toBe('FORBIDDEN')
      expect((await submit('none', invalid)).status).toBe(401)
    }
    const { pagination } = await list(slug)
    expect(pagination.total).toBeGreaterThan(0)
    expect((await listOwn(token)).pagination.total).toBe(pagination.total)
  })
})
