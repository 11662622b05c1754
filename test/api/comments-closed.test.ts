// A site whose comments are closed: no new comments; existing ones can still be read.
import { describe, expect, it } from 'vitest'
import { comments, guestComments, ownComments } from '../../shared/comments/contract.ts'
import { insertComments } from '../world/comment-world.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld({
  settings: { 'comments.enabled': false, 'comments.allow_guest_comments': true },
})

const GUEST_COMMENT = { author_name: 'A', author_email: 'a@example.com', body: 'B' }

describe('POST /api/v1/posts/{slug}/comments and /api/v1/me/comments on a closed site', () => {
  it('return 403 for any post and body, and 401 for an invalid token', async () => {
    const { id: post_id, slug } = await world.create.livePost()
    const { token } = await world.create.user({ abilities: ['comments:write'] })
    const closed = { status: 403, code: 'FORBIDDEN' }
    for (const name of [slug, 'unknown']) {
      for (const body of [GUEST_COMMENT, {}]) {
        const params = { slug: name }
        expect(await world.call(guestComments.createGuestComment, { params, body })).toMatchObject(closed)
      }
    }
    for (const body of [{ post_id, body: 'B' }, {}]) {
      expect(await world.call(ownComments.createOwnComment, { token, body })).toMatchObject(closed)
      expect((await world.call(ownComments.createOwnComment, { token: 'none', body })).status).toBe(401)
    }
  })
})

describe('GET /api/v1/posts/{slug}/comments and /api/v1/me/comments on a closed site', () => {
  it('list existing comments', async () => {
    const { id: post_id, slug } = await world.create.livePost()
    const { id: user_id, token } = await world.create.user({ abilities: ['comments:write'] })
    await insertComments(world.table, [{ post_id, user_id, status: 'approved' }])
    const answers = [
      await world.call(comments.listComments, { params: { slug } }),
      await world.call(ownComments.listOwnComments, { token }),
    ]
    expect(answers.map(({ pagination }) => pagination.total)).toEqual([1, 1])
  })
})
