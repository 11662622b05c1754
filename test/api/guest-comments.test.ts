// Comments of guests on posts: which are accepted, what they fire, and how deep replies go.
import { describe, expect, it } from 'vitest'
import { commentWorld, GUEST_COMMENT } from '../world/comment-world.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
const { submit, list, reject, submitApproved } = commentWorld(world)

describe('POST /api/v1/posts/{slug}/comments', () => {
  it('creates a comment that is pending approval, and fires comment.created', async () => {
    const subscriber = await openSubscriber()
    const { slug, id: post_id } = await world.create.livePost({ slug: 'a-post-of-tea' })
    await world.create.webhook(subscriber.url, { events: ['comment.created', 'comment.approved'] })
    const { status, data, text } = await submit(slug, {
      author_name: ' Ada ',
      body: ' <b>Tea</b>\n& milk 🍵 ',
    })
    expect(status).toBe(201)
    expect(data).toEqual({
      id: data.id,
      post_id,
      parent_id: null,
      author: { name: 'Ada', avatar: null },
      body: ' <b>Tea</b>\n& milk 🍵 ',
      status: 'pending',
      created_at: expect.stringMatching(/\+00:00$/),
    })
    expect(text.toLowerCase()).not.toContain(GUEST_COMMENT.author_email.toLowerCase())
    const [event] = await subscriber.waitFor(1)
    expect(event).toMatchObject({ event: 'comment.created' })
    expect(event?.data).toEqual({
      id: data.id,
      post_id,
      slug,
      url: `${world.baseUrl}/blog/${slug}#comment-${data.id}`,
      parent_id: null,
      status: 'pending',
      author_name: 'Ada',
    })
    expect((await list(slug)).pagination.total).toBe(0)
  })

  it.each([
    ['author_name', ['', ' ', 'x'.repeat(101)]],
    ['author_email', ['', 'ada', 'ada@', 'a da@example.com', `${'x'.repeat(250)}@example.com`]],
    ['body', ['', ' \n\t ', 'x'.repeat(5_001)]],
    ['parent_id', [0, -1, 1.5, 'x']],
  ])('returns 422 for an invalid %s', async (field, values) => {
    const { slug } = await world.create.livePost()
    for (const value of values) {
      const { status, fields } = await submit(slug, { [field]: value })
      expect([status, Object.keys(fields ?? {})]).toEqual([422, [field]])
    }
    expect((await submit(slug, { [field]: undefined })).status).toBe(field === 'parent_id' ? 201 : 422)
  })

  it('accepts the longest values, counted in code points', async () => {
    const { slug } = await world.create.livePost()
    const body = '🍵'.repeat(5_000)
    const author_name = 'ä'.repeat(100)
    const data = await submitApproved(slug, { body, author_name })
    expect([data.body, data.author.name]).toEqual([body, author_name])
    expect((await list(slug)).data).toEqual([{ ...data, status: 'approved' }])
  })

  it('returns 404 for a post that is not public and for a page, as GET does', async () => {
    const hidden = [
      await world.create.post(),
      await world.create.livePost({ posted_at: '2999-01-01' }),
      await world.create.livePost({ content_type: 'page' }),
    ]
    for (const { slug } of [...hidden, { slug: 'unknown' }]) {
      expect((await submit(slug)).code).toBe('NOT_FOUND')
      expect((await submit(slug, { parent_id: 1 })).code).toBe('NOT_FOUND')
      expect((await list(slug)).code).toBe('NOT_FOUND')
    }
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
