// `kill -9` while a receiver has a delivery: afterwards the log agrees with the receiver, record by record.
import { describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { LEASE_MS } from '../../shared/webhooks/delivery.ts'
import { newFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'
import { openRecorder } from '../webhooks/recording.ts'
import { startProcess } from './service.ts'

/** What each change of the post meets, in order; `hang` is killed. After it the address is not allowed. */
const STORY = [
  ['200', 'succeeded', null],
  ['500', 'failed', 'status'],
  ['hang', 'failed', 'interrupted'],
  ['hang', 'failed', 'blocked_address'],
] as const

describe('the delivery log after kill -9 during a delivery', () => {
  it('has every attempt as the receiver recorded it, and the killed one as interrupted', async () => {
    const recorder = await openRecorder()
    const state = await newFolder()
    let service = await startProcess(state)
    const body = { name: 'test', url: recorder.url('200'), events: ['post.updated'] }
    const { id } = (await service.call(adminWebhooks.createWebhook, { token: service.token, body })).data
    const draft = { token: service.token, body: { title: 'A story', is_published: true } }
    const post = (await service.call(adminPosts.createPost, draft)).data
    const list = async () => {
      const { call, token } = service
      return (await call(adminWebhooks.listDeliveries, { token, params: { id } })).data
    }
    const ended = (count: number) =>
      until(`${count} deliveries to end`, async () => {
        const all = (await list()).filter(({ status }) => status === 'succeeded' || status === 'failed')
        return all.length === count && all
      })
    for (const [n, [path, , error]] of STORY.entries()) {
      const { call, token } = service
      if (error !== 'blocked_address') {
        const request = { token, params: { id }, body: { url: recorder.url(path) } }
        await call(adminWebhooks.changeWebhook, request)
      }
      await call(adminPosts.changePost, {
        token,
        params: { id: post.id },
        body: { title: `Title ${n}` },
        headers: { 'X-Request-Id': `change-${n}` },
      })
      if (error === 'interrupted') {
        await until('the receiver to have it', () => recorder.recorded.length === n + 1)
        await service.kill()
        const killedMs = Date.now()
        service = await startProcess(state, ['--strict-addresses'])
        await until('the lease to end', () => Date.now() > killedMs + LEASE_MS)
      }
      await ended(n + 1)
    }

    const log = (await ended(STORY.length)).toReversed()
    expect(log.map(({ status, error, request_id }) => [status, error, request_id])).toEqual(
      STORY.map(([, status, error], n) => [status, error, `change-${n}`]),
    )
    expect(log.map(({ attempt }) => attempt)).toEqual(STORY.map(() => 1))
    expect(recorder.recorded.map(({ path }) => path)).toEqual(['200', '500', 'hang'])
    for (const [n, { headers, body, path }] of recorder.recorded.entries()) {
      const delivery_id = String(headers['webhook-id'])
      const { call, token } = service
      const { data } = await call(adminWebhooks.getDelivery, { token, params: { id, delivery_id } })
      expect(data).toMatchObject({ ...log[n], request: { url: recorder.url(path), body } })
      expect(data.request_id).toBe(headers['x-request-id'])
    }
    const { call, token } = service
    const read = async () => (await call(adminWebhooks.getWebhook, { token, params: { id } })).data
    // An interrupted delivery is counted when its message comes again.
    await until('all deliveries to be counted', async () => (await read()).total_deliveries === STORY.length)
    expect(await read()).toMatchObject({
      total_deliveries: 4,
      failed_deliveries: 3,
      recent: { succeeded: 1, failed: 3 },
    })
  })
})
