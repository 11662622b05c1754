// `npm start -- --faults SEED`: whoever tries again gets through, and each event is delivered at most once.
import { describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { openState, startProcess } from './service.ts'

const SEED = '7'
const POSTS = 20

describe('npm start -- --faults SEED', () => {
  it('says so, and lets all get through who try again', async () => {
    const { call, token, printed } = await startProcess(await openState(), ['--faults', SEED])
    expect(printed()).toContain(`Faults are on, by the seed ${SEED}`)
    /** An answer of the 500s says nothing, and neither does a connection that breaks off. */
    const persist = <T extends { status: number }>(what: string, ask: () => Promise<T>): Promise<T> =>
      until(what, async () => {
        const answer = await ask().catch(() => undefined)
        return answer && answer.status < 500 && answer
      })
    const subscriber = await openSubscriber()
    const hook = { name: 'test', url: subscriber.url, events: ['*'] }
    await persist('a subscription', () => call(adminWebhooks.createWebhook, { token, body: hook }))
    for (let n = 0; n < POSTS; n++) {
      const headers = { 'Idempotency-Key': `post ${n}` }
      const body = { title: `Post ${n}`, is_published: true }
      const asked = { token, headers, body }
      // A run that crashed holds the key for its lease: then another key, and another post.
      let made = await persist('a post', () => call(adminPosts.createPost, asked))
      if (made.status === 409) {
        made = await persist('a post', () => call(adminPosts.createPost, { token, body }))
      }
      expect(made.status).toBe(201)
    }
    const all = await persist('the list', () => call(posts.listPosts, { query: { per_page: 100 } }))
    expect(all.pagination.total).toBeGreaterThanOrEqual(POSTS)
    expect(all.pagination.total).toBe(all.data.length)
    await subscriber.waitFor(POSTS / 2)
    const ids = subscriber.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(ids.length)
  })
})
