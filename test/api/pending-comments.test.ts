// Comments that are pending approval: at most twenty of a user, so that no user floods the admins.
import { describe, expect, it } from 'vitest'
import { adminComments, ownComments } from '../../shared/comments/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const MAX_PENDING = 20

const world = useWorld()

async function openThread() {
  const [{ id: post_id }, { token }] = await Promise.all([
    world.create.livePost(),
    world.create.user({ abilities: ['comments:write'] }),
  ])
  const submit = (body: Record<string, unknown> = {}) =>
    world.call(ownComments.createOwnComment, { token, body: { post_id, body: 'Well said.', ...body } })
  /** Submits as many comments as can be pending, and returns their ids. */
  const fill = async () => {
    const ids: number[] = []
    for (let n = 0; n < MAX_PENDING; n++) ids.push((await submit()).data.id)
    return ids
  }
  const isAccepted = async () => (await submit()).status === 201
  return { post_id, token, submit, fill, isAccepted }
}

function moderate(endpoint: Endpoint, id: number) {
  return world.call(endpoint, { token: world.admin, params: { id } })
}

describe('POST /api/v1/me/comments', () => {
  it('returns 429 with the reason for the 21st pending comment, and does not store it', async () => {
    const { token, submit, fill } = await openThread()
    const ids = await fill()
    const excess = await submit()
    expect([excess.status, excess.code, excess.headers.get('Retry-After')]).toEqual([
      429,
      'RATE_LIMITED',
      '3600',
    ])
    expect(excess.message).toContain('20 of your comments are pending approval')
    // Like every 429, it is reported before an unknown post.
    expect((await submit({ post_id: 999_999 })).code).toBe('RATE_LIMITED')
    const { data } = await world.call(ownComments.listOwnComments, { token, query: { per_page: 100 } })
    expect(data.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids)

    const other = await openThread()
    expect(await other.isAccepted()).toBe(true)
  })

  it('accepts one more for each pending comment that is approved, rejected or deleted, even with its post', async () => {
    const { post_id, submit, fill, isAccepted } = await openThread()
    const [first = 0, second = 0, third = 0] = await fill()
    for (const [endpoint, id] of [
      [adminComments.approveComment, first],
      [adminComments.rejectComment, second],
      [adminComments.deleteComment, third],
    ] as const) {
      expect(await isAccepted()).toBe(false)
      await moderate(endpoint, id)
      expect(await isAccepted()).toBe(true)
    }
    expect(await isAccepted()).toBe(false)
    const { id: otherPostId } = await world.create.livePost()
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id: post_id } })
    await until(
      'the comments of the deleted post not to count',
      async () => (await submit({ post_id: otherPostId })).status === 201,
    )
  })

  it('accepts twenty of 24 concurrent comments', async () => {
    const { submit } = await openThread()
    const answers = await Promise.all(Array.from({ length: 24 }, () => submit()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MAX_PENDING)
    expect(answers.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(4)
  })
})
