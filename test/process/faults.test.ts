// `npm start -- --faults SEED`: retried requests succeed, and each event is delivered at most once.
import { describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { openState, startProcess } from './service.ts'

const SEED = '7'
const POSTS = 20

describe('npm start -- --faults SEED', () => {
  it('prints that faults are on, and every retried request succeeds', async () => {
    const { call, token, printed } = await startProcess(await openState(), ['--faults', SEED])
    expect(printed()).toContain(`Fault injection is on with seed ${SEED}`)
    /** Retries after a 5xx or a closed connection. */
    const retry = <T extends { status: number }>(what: string, ask: () => Promise<T>): Promise<T> =>
      until(what, async () => {
        const answer = await ask().catch(() => undefined)
        return answer && answer.status < 500 && answer
      })
    const subscriber = await openSubscriber()
    const hook = { name: 'test', url: subscriber.url, events: ['*'] }
    await retry('a subscription', () => call(adminWebhooks.createWebhook, { token, body: hook }))
    for (let n = 0; n < POSTS; n++) {
      const headers = { 'Idempotency-Key': `post ${n}` }
      const body = { title: `Post ${n}`, is_published: true }
      const request = { token, headers, body }
      // A crashed run holds the idempotency key until its lease expires, so this creates another post.
      let created = await retry('a post', () => call(adminPosts.createPost, request))
      if (created.status === 409) {
        created = await retry('a post', () => call(adminPosts.createPost, { token, body }))
      }
      expect(created.status).toBe(201)
    }
    const all = await retry('the list', () => call(posts.listPosts, { query: { per_page: 100 } }))
    expect(all.pagination.total).toBeGreaterThanOrEqual(POSTS)
    expect(all.pagination.total).toBe(all.data.length)
    await subscriber.waitFor(POSTS / 2)
    const ids = subscriber.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(ids.length)
  })
})
