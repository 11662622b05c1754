// Comments that wait for approval: a user has at most twenty of them, so that nobody floods those who approve.
import { describe, expect, it } from 'vitest'
import { adminComments, comments } from '../../shared/comments/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const MOST = 20

const world = useWorld()

async function open() {
  const [{ id: post_id }, { token }] = await Promise.all([
    world.given.livePost(),
    world.given.user({ abilities: ['comments:write'] }),
  ])
  const say = (body: Record<string, unknown> = {}) =>
    world.call(comments.createOwnComment, { token, body: { post_id, body: 'Well said.', ...body } })
  /** As many as may wait. */
  const fill = async () => {
    const ids: number[] = []
    for (let n = 0; n < MOST; n++) ids.push((await say()).data.id)
    return ids
  }
  const isTaken = async () => (await say()).status === 201
  return { post_id, token, say, fill, isTaken }
}

function decide(endpoint: Endpoint, id: number) {
  return world.call(endpoint, { token: world.admin, params: { id } })
}

describe('POST /api/v1/me/comments', () => {
  it('refuses the 21st comment that would wait for approval, with the reason, and stores nothing of it', async () => {
    const { token, say, fill } = await open()
    const ids = await fill()
    const refused = await say()
    expect([refused.status, refused.code, refused.headers.get('Retry-After')]).toEqual([
      429,
      'RATE_LIMITED',
      '3600',
    ])
    expect(refused.message).toContain('20 of your comments await approval')
    // It comes before the fault of a post that is not there, as every 429 does.
    expect((await say({ post_id: 999_999 })).code).toBe('RATE_LIMITED')
    const { data } = await world.call(comments.listOwnComments, { token, query: { per_page: 100 } })
    expect(data.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids)

    const other = await open()
    expect(await other.isTaken()).toBe(true)
  })

  it('takes one more for each that is approved, rejected or deleted, and all when their post is deleted', async () => {
    const { post_id, say, fill, isTaken } = await open()
    const [first = 0, second = 0, third = 0] = await fill()
    for (const [endpoint, id] of [
      [adminComments.approveComment, first],
      [adminComments.rejectComment, second],
      [adminComments.deleteComment, third],
    ] as const) {
      expect(await isTaken()).toBe(false)
      await decide(endpoint, id)
      expect(await isTaken()).toBe(true)
    }
    expect(await isTaken()).toBe(false)
    const { id: elsewhere } = await world.given.livePost()
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id: post_id } })
    await until('a place', async () => (await say({ post_id: elsewhere })).status === 201)
  })

  it('lets twenty through of all that come at once', async () => {
    const { say } = await open()
    const answers = await Promise.all(Array.from({ length: 24 }, () => say()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST)
    expect(answers.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(4)
  })
})
