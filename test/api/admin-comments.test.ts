// What admins see of comments, and what they make of them.
import { describe, expect, it } from 'vitest'
import { type AdminComment, adminComments, comments } from '../../shared/comments/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { insertComments } from '../world/comments.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const guest = { author_name: 'Ada', author_email: 'Ada@Example.com', body: 'Well said.' }
async function say(slug: string, body: Record<string, unknown> = {}) {
  return (await world.call(comments.createGuestComment, { params: { slug }, body: { ...guest, ...body } }))
    .data
}

function asked(id: number, headers: Record<string, string> = {}) {
  return {
    token: world.admin,
    params: { id },
    headers,
  }
}

function approve(id: number, headers = {}) {
  return world.call(adminComments.approveComment, asked(id, headers))
}

function reject(id: number) {
  return world.call(adminComments.rejectComment, asked(id))
}

function remove(id: number) {
  return world.call(adminComments.deleteComment, asked(id))
}

function all(query = {}) {
  return world.call(adminComments.listComments, { token: world.admin, query })
}

async function total(status?: string) {
  return (await all(status ? { status } : {})).pagination.total
}

async function totals() {
  return [await total(), await total('pending'), await total('approved'), await total('rejected')]
}

async function shown(slug: string) {
  return (await world.call(comments.listComments, { params: { slug } })).data.map(({ id }) => id)
}

describe('GET /api/v1/admin/comments', () => {
  it('lists all, newest first, with who wrote them and the slug that the post has now', async () => {
    const post = await world.given.livePost()
    const user = await world.given.user({ abilities: ['comments:write'] })
    const said = await say(post.slug)
    const body = { post_id: post.id, body: 'Mine' }
    const own = (await world.call(comments.createOwnComment, { token: user.token, body })).data
    const moved = { token: world.admin, params: { id: post.id }, body: { slug: `${post.slug}-moved` } }
    await world.call(adminPosts.changePost, moved)
    const { data } = await all({ per_page: 2 })
    const post_slug = `${post.slug}-moved`
    expect(data).toEqual([
      { ...own, user_id: user.id, author_email: user.email, post_slug },
      { ...said, user_id: null, author_email: 'Ada@Example.com', post_slug },
    ])
  })

  it('filters by status, with totals that follow each change', async () => {
    const { slug } = await world.given.livePost()
    const [waiting = 0, good = 0, bad = 0] = await totals().then(counts => counts.slice(1))
    const said = [await say(slug), await say(slug), await say(slug)]
    await approve(said[0]?.id ?? 0)
    await reject(said[1]?.id ?? 0)
    expect((await totals()).slice(1)).toEqual([waiting + 1, good + 1, bad + 1])
    await approve(said[1]?.id ?? 0)
    expect((await totals()).slice(1)).toEqual([waiting + 1, good + 2, bad])
    const { data } = await all({ status: 'approved', per_page: 2 })
    expect(data.map(({ id }) => id)).toEqual([said[1]?.id, said[0]?.id])
    for (const one of data) expect(one.status).toBe('approved')
    expect((await all({ status: 'spam' })).fields).toEqual({ status: [expect.any(String)] })
  })

  it('reads any page of many, whoever wrote them', async () => {
    const [{ id: post_id }, user] = [await world.given.livePost(), await world.given.user()]
    const drafts = Array.from({ length: 60 }, (_, n) => ({ post_id, user_id: n % 2 ? user.id : null }))
    const planted = await insertComments(world.table, drafts)
    const pages = [1, 2, 3].map(async page => (await all({ per_page: 20, page })).data)
    const found: AdminComment[] = (await Promise.all(pages)).flat()
    expect(found.map(({ id }) => id)).toEqual(planted.map(({ id }) => id).reverse())
  })
})

describe('POST /api/v1/admin/comments/{id}/approve and …/reject', () => {
  it('answer with the comment, and tell each change to approved, once', async () => {
    const subscriber = await openSubscriber()
    const { id: post_id, slug } = await world.given.livePost()
    const { id } = await say(slug)
    await world.given.webhook(subscriber.url, { events: ['comment.created', 'comment.approved'] })
    const seen = []
    for (const act of [approve, approve, reject, reject, approve]) {
      const { status, data } = await act(id)
      seen.push([status, data.status, (await shown(slug)).length])
      expect(data).toMatchObject({ id, post_id, post_slug: slug, author_email: 'Ada@Example.com' })
    }
    expect(seen).toEqual([
      [200, 'approved', 1],
      [200, 'approved', 1],
      [200, 'rejected', 0],
      [200, 'rejected', 0],
      [200, 'approved', 1],
    ])
    const last = await say(slug)
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

  it('do their work once for one Idempotency-Key, and for twenty admins at once', async () => {
    const subscriber = await openSubscriber()
    const { slug } = await world.given.livePost()
    const [{ id }, other] = [await say(slug), await say(slug)]
    await world.given.webhook(subscriber.url, { events: ['comment.approved'] })
    const key = { 'Idempotency-Key': `approve-${id}` }
    const first = await approve(id, key)
    await reject(id)
    const again = await approve(id, key)
    expect([again.text, again.headers.get('Idempotent-Replayed')]).toEqual([first.text, 'true'])
    expect(await shown(slug)).toEqual([])
    const answers = await Promise.all(Array.from({ length: 20 }, () => approve(other.id)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    await approve(id)
    await subscriber.waitFor(3)
    const ids = subscriber.received.map(({ data }) => data.id)
    expect(ids.toSorted()).toEqual([id, id, other.id])
    expect(await shown(slug)).toEqual([id, other.id])
  })

  it('act on the comments of a post that nobody sees, too', async () => {
    const { id: post_id, slug } = await world.given.livePost()
    const { id } = await say(slug)
    const post = { token: world.admin, params: { id: post_id } }
    await world.call(adminPosts.unpublishPost, post)
    expect((await approve(id)).data).toMatchObject({ status: 'approved', post_slug: slug })
    await world.call(adminPosts.publishPost, post)
    expect(await shown(slug)).toEqual([id])
  })
})

describe('DELETE /api/v1/admin/comments/{id}', () => {
  it('takes it out of every list for good, and tells nobody', async () => {
    const subscriber = await openSubscriber()
    const { id: post_id, slug } = await world.given.livePost()
    const user = await world.given.user({ abilities: ['comments:write'] })
    const body = { post_id, body: 'Mine' }
    const { id } = (await world.call(comments.createOwnComment, { token: user.token, body })).data
    await approve(id)
    const [count = 0, waiting, good = 0, bad] = await totals()
    await world.given.webhook(subscriber.url)
    expect(await remove(id)).toMatchObject({ status: 200, data: {} })
    expect(await totals()).toEqual([count - 1, waiting, good - 1, bad])
    expect(await shown(slug)).toEqual([])
    expect((await world.call(comments.listOwnComments, { token: user.token })).pagination.total).toBe(0)
    for (const act of [remove, approve, reject]) expect((await act(id)).code).toBe('NOT_FOUND')
    expect(
      (await world.call(comments.createOwnComment, { token: user.token, body: { ...body, parent_id: id } }))
        .fields,
    ).toHaveProperty('parent_id')
    await say(slug)
    await subscriber.waitFor(1)
    expect(subscriber.events()).toEqual(['comment.created'])
  })
})
