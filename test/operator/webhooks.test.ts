// The commands for the webhook subscriptions of all users, and for their deliveries.
import { describe, expect, it } from 'vitest'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { openRecorder } from '../webhooks/recording.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
const operator = operatorOn(world)

describe('webhooks list', () => {
  it('lists the subscriptions of all users with their states, which webhooks pause changes', async () => {
    const { id, name } = await world.create.webhook('https://example.com/hook')
    const lineOf = async () =>
      (await operator.run(['webhooks', 'list'])).out.split('\n').find(line => line.startsWith(`${id}\t`))
    expect(await lineOf()).toBe(
      `${id}\tactive\towner@example.com\t${name}\thttps://example.com/hook\t*\t0 sent, 0 of them failed`,
    )
    expect((await operator.run(['webhooks', 'pause', String(id)])).out).toContain(`Paused subscription ${id}`)
    const { data } = await world.call(adminWebhooks.getWebhook, { token: world.admin, params: { id } })
    expect(data.is_active).toBe(false)
    expect(await operator.json(['webhooks', 'list'])).toContainEqual(
      expect.objectContaining({ id, owner: 'owner@example.com', is_active: false, total_deliveries: 0 }),
    )
    const resumed = await operator.run(['webhooks', 'pause', String(id), '--resume'])
    expect(resumed).toMatchObject({ code: 0, out: expect.stringMatching(/^Resumed subscription \d+, /) })
    expect(await lineOf()).toContain('\tactive\t')
    expect(await operator.run(['webhooks', 'pause', '999999'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no subscription 999999. List all subscriptions: webhooks list'),
    })
  })
})

describe('webhooks list of a subscription with quiet_seconds', () => {
  it('shows how many events are collected, also after quiet_seconds is 0, and none once it is paused', async () => {
    const { id } = await world.create.webhook('https://example.com/hook', {
      events: ['post.published'],
      quiet_seconds: 900,
    })
    const collected = async () => {
      const all: { id: number; collected?: number }[] = await operator.json(['webhooks', 'list'])
      return all.find(webhook => webhook.id === id)?.collected
    }
    expect(await collected()).toBe(0)
    await world.create.livePost()
    await until('the event', async () => (await collected()) === 1)
    expect((await operator.run(['webhooks', 'list'])).out).toContain('\t1 collected')
    const body = { quiet_seconds: 0 }
    await world.call(adminWebhooks.changeWebhook, { token: world.admin, params: { id }, body })
    expect(await collected()).toBe(1)
    await operator.run(['webhooks', 'pause', String(id)])
    expect(await collected()).toBe(0)
  })
})

describe('webhooks deliveries', () => {
  it('lists the deliveries to a subscription, newest first, or only those that failed', async () => {
    const recorder = await openRecorder()
    const webhook = await world.create.webhook(recorder.url('500'), { events: ['test.ping'] })
    const asAdmin = { token: world.admin, params: { id: webhook.id } }
    const ping = () => world.call(adminWebhooks.testWebhook, asAdmin)
    for (let n = 0; n < 2; n++) await ping()
    const id = String(webhook.id)
    const { out } = await operator.run(['webhooks', 'deliveries', id])
    expect(out.split('\n').filter(line => line !== '')).toHaveLength(2)
    expect(out).toMatch(/^evt_\w+-\d+\.1\tfailed\t.*\ttest.ping\t500\tThe receiver answered 500\.\n/)
    await world.call(adminWebhooks.changeWebhook, { ...asAdmin, body: { url: recorder.url('200') } })
    await ping()
    const failed = await operator.json(['webhooks', 'deliveries', id, '--failed'])
    expect(failed.map(({ status }: { status: string }) => status)).toEqual(['failed', 'failed'])
    expect(await operator.run(['webhooks', 'deliveries', '999999'])).toMatchObject({ code: 1 })
  })
})
