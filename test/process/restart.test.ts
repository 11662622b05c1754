// `kill -9` at any moment loses no answered write and delivers no event twice.
import { describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { newFolder } from '../support/folder.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { replayAcrossKills } from './replays.ts'
import { type Service, startProcess } from './service.ts'

async function subscribe({ call, token }: Service) {
  const subscriber = await openSubscriber()
  await call(adminWebhooks.createWebhook, {
    token,
    body: { name: 'test', url: subscriber.url, events: ['*'] },
  })
  return subscriber
}

const SECOND_MS = 1000

describe('a scheduled post', () => {
  it('becomes visible at its time and fires one event, even if the service is killed before', async () => {
    const state = await newFolder()
    const startedMs = Date.now()
    const first = await startProcess(state)
    const subscriber = await subscribe(first)
    // At least as far ahead as a start takes, so that a slow machine can write and read the post before.
    const aheadMs = Math.max(3 * SECOND_MS, Date.now() - startedMs)
    const dueMs = Math.floor((Date.now() + aheadMs) / SECOND_MS) * SECOND_MS
    const body = { title: 'Soon', is_published: true, posted_at: new Date(dueMs).toISOString() }
    const post = (await first.call(adminPosts.createPost, { token: first.token, body })).data
    const read = async ({ call }: Service) =>
      (await call(posts.getPost, { params: { slug: post.slug } })).status
    expect(post.status).toBe('scheduled')
    expect(await read(first)).toBe(404)

    await first.kill()
    const second = await startProcess(state)
    const early = await read(second)
    if (Date.now() < dueMs) expect(early).toBe(404)
    await until('the publication time', () => Date.now() >= dueMs)

    expect(await read(second)).toBe(200)
    await subscriber.waitFor(1)
    await until('empty queues', () => Date.now() >= dueMs + 3 * SECOND_MS)
    expect(subscriber.events()).toEqual(['post.published'])
    expect(subscriber.received[0]?.occurred_at).toBe(new Date(dueMs).toISOString().replace('.000Z', '+00:00'))
  })
})

describe('kill -9 during writes', () => {
  it('loses no answered post and delivers each event at most once', async () => {
    const state = await newFolder()
    let service = await startProcess(state)
    const subscriber = await subscribe(service)
    const answered: { id: number; slug: string }[] = []

    for (let round = 0; round < 2; round++) {
      const { call, token, kill } = service
      let isOver = false
      const write = async () => {
        while (!isOver) {
          const body = { title: 'Under way', is_published: true }
          const answer = await call(adminPosts.createPost, { token, body }).catch(() => undefined)
          if (answer?.status === 201) answered.push(answer.data)
        }
      }
      const enough = answered.length + 10
      const writers = Array.from({ length: 4 }, write)
      await until('some posts', () => answered.length >= enough)
      await kill()
      isOver = true
      await Promise.all(writers)
      service = await startProcess(state)
    }

    const { call } = service
    for (const { slug } of answered) {
      const status = await until('an answer', async () => {
        const post = await call(posts.getPost, { params: { slug } })
        return post.status < 500 && post.status
      })
      expect([slug, status]).toEqual([slug, 200])
    }
    const all = await call(posts.listPosts, { query: { per_page: 100 } })
    const ids = all.data.map(({ id }) => id)
    expect(all.pagination.total).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(answered.map(({ id }) => id)))

    const delivered = subscriber.received.map(({ data }) => data.id)
    expect(new Set(delivered).size).toBe(delivered.length)
  })
})

describe('kill -9 during replays', () => {
  it('sends each failed delivery of three subscriptions at most once more, oldest first, with the same bytes', async () => {
    expect(await replayAcrossKills({ events: 14, kills: 1, measures: false })).toBeGreaterThan(0)
  })
})
