// Comments as readers see them, and as guests write them, where the owner lets them.
import { describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { adminComments, type Comment, comments } from '../../shared/comments/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const guest = { author_name: 'Ada', author_email: 'ada@example.com', body: 'Well said.' }
function say(slug: string, body: Record<string, unknown> = {}) {
  return world.call(comments.createGuestComment, { params: { slug }, body: { ...guest, ...body } })
}

function list(slug: string, query = {}) {
  return world.call(comments.listComments, { params: { slug }, query })
}

function admin(id: number) {
  return { token: world.admin, params: { id } }
}

function approve(id: number) {
  return world.call(adminComments.approveComment, admin(id))
}

function reject(id: number) {
  return world.call(adminComments.rejectComment, admin(id))
}

function bodies(found: Comment[]) {
  return found.map(({ body }) => body)
}

/** Said and approved. */
async function approved(slug: string, body: Record<string, unknown> = {}) {
  const { data } = await say(slug, body)
  await approve(data.id)
  return data
}

describe('POST /api/v1/posts/{slug}/comments', () => {
  it('takes a comment, which waits for its approval and is told at once', async () => {
    const subscriber = await openSubscriber()
    const { slug, id: post_id } = await world.given.livePost({ slug: 'a-post-of-tea' })
    await world.given.webhook(subscriber.url, { events: ['comment.created', 'comment.approved'] })
    const { status, data, text } = await say(slug, { author_name: ' Ada ', body: ' <b>Tea</b>\n& milk 🍵 ' })
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
    expect(text).not.toContain(guest.author_email)
    const [told] = await subscriber.waitFor(1)
    expect(told).toMatchObject({ event: 'comment.created' })
    expect(told?.data).toEqual({
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
  ])('refuses a wrong %s', async (field, wrong) => {
    const { slug } = await world.given.livePost()
    for (const value of wrong) {
      const { status, fields } = await say(slug, { [field]: value })
      expect([status, Object.keys(fields ?? {})]).toEqual([422, [field]])
    }
    expect((await say(slug, { [field]: undefined })).status).toBe(field === 'parent_id' ? 201 : 422)
  })

  it('takes what just fits, counted in code points', async () => {
    const { slug } = await world.given.livePost()
    const body = '🍵'.repeat(5_000)
    const author_name = 'ä'.repeat(100)
    const data = await approved(slug, { body, author_name })
    expect([data.body, data.author.name]).toEqual([body, author_name])
    expect((await list(slug)).data).toEqual([{ ...data, status: 'approved' }])
  })

  it('is 404 for a post that is not public now, and for a page', async () => {
    const hidden = [
      await world.given.post(),
      await world.given.livePost({ posted_at: '2999-01-01' }),
      await world.given.livePost({ content_type: 'page' }),
    ]
    for (const { slug } of [...hidden, { slug: 'unknown' }]) {
      expect((await say(slug)).code).toBe('NOT_FOUND')
      expect((await say(slug, { parent_id: 1 })).code).toBe('NOT_FOUND')
      expect((await list(slug)).code).toBe('NOT_FOUND')
    }
  })

  it('answers approved comments of the same post, three deep and no deeper', async () => {
    const [{ slug }, other] = [await world.given.livePost(), await world.given.livePost()]
    const root = await approved(slug)
    const reply = await approved(slug, { parent_id: root.id })
    const third = await approved(slug, { parent_id: reply.id })
    expect([root, reply, third].map(({ parent_id }) => parent_id)).toEqual([null, root.id, reply.id])
    const waiting = (await say(slug)).data
    const rejected = await approved(slug)
    await reject(rejected.id)
    for (const parent_id of [third.id, waiting.id, rejected.id, 999_999]) {
      expect((await say(slug, { parent_id })).fields).toEqual({ parent_id: [expect.any(String)] })
    }
    expect((await say(other.slug, { parent_id: root.id })).fields).toHaveProperty('parent_id')
    await reject(root.id)
    expect((await say(slug, { parent_id: reply.id })).fields).toHaveProperty('parent_id')
  })
})

describe('GET /api/v1/posts/{slug}/comments', () => {
  it('lists what is approved, oldest first, a page at a time', async () => {
    const { slug } = await world.given.livePost()
    const said: Comment[] = []
    for (let n = 0; n < 5; n++) said.push((await say(slug, { body: `${n}` })).data)
    for (const n of [4, 0, 2, 1]) await approve(said[n]?.id ?? 0)
    const first = await list(slug, { per_page: 3 })
    expect(bodies(first.data)).toEqual(['0', '1', '2'])
    expect(first.pagination).toEqual({ current_page: 1, per_page: 3, total: 4, last_page: 2, from: 1, to: 3 })
    expect(bodies((await list(slug, { per_page: 3, page: 2 })).data)).toEqual(['4'])
    expect((await list(slug, { page: 3 })).data).toEqual([])
  })

  it('has a tag that changes with what is shown', async () => {
    const { slug } = await world.given.livePost()
    const tag = async () => (await list(slug)).headers.get('ETag')
    const empty = await tag()
    const { data } = await say(slug)
    expect(await tag()).toBe(empty)
    await approve(data.id)
    const shown = await tag()
    expect(shown).not.toBe(empty)
    await reject(data.id)
    expect(await tag()).toBe(empty)
  })

  it('shows a reply only while all above it show, in pages and totals, from the answer on', async () => {
    const { slug } = await world.given.livePost()
    const root = await approved(slug, { body: 'root' })
    const reply = await approved(slug, { body: 'reply', parent_id: root.id })
    await approved(slug, { body: 'third', parent_id: reply.id })
    const waiting = (await say(slug, { body: 'late', parent_id: reply.id })).data
    await approved(slug, { body: 'other' })
    const seen = async () => {
      const { data, pagination } = await list(slug)
      expect(pagination.total).toBe(data.length)
      return bodies(data)
    }
    expect(await seen()).toEqual(['root', 'reply', 'third', 'other'])
    await reject(reply.id)
    expect(await seen()).toEqual(['root', 'other'])
    await approve(waiting.id)
    expect(await seen()).toEqual(['root', 'other'])
    await reject(root.id)
    expect(await seen()).toEqual(['other'])
    await approve(reply.id)
    expect(await seen()).toEqual(['other'])
    await approve(root.id)
    expect(await seen()).toEqual(['root', 'reply', 'third', 'late', 'other'])
  })

  it('goes with its post and comes back with it, whatever its slug is then', async () => {
    const post = await world.given.livePost()
    const said = await approved(post.slug)
    const change = (body: unknown) => world.call(adminPosts.changePost, { ...admin(post.id), body })
    await change({ is_published: false })
    expect((await list(post.slug)).code).toBe('NOT_FOUND')
    await change({ is_published: true, content_type: 'page' })
    expect((await list(post.slug)).code).toBe('NOT_FOUND')
    await change({ content_type: 'post', slug: `${post.slug}-moved` })
    expect((await list(post.slug)).code).toBe('NOT_FOUND')
    expect((await list(`${post.slug}-moved`)).data).toEqual([{ ...said, status: 'approved' }])
  })

  it('names users as their profile does now', async () => {
    const { slug } = await world.given.livePost()
    const user = await world.given.user({ abilities: ['comments:write'] })
    await changeUser(world.table, user.id, one => ({ ...one, avatar: 'https://a.example/me.png' }))
    const body = { post_slug: slug, body: 'Mine' }
    const { data } = await world.call(comments.createOwnComment, { token: user.token, body })
    await approve(data.id)
    expect((await list(slug)).data[0]?.author).toEqual({
      name: user.name,
      avatar: 'https://a.example/me.png',
    })
  })
})
