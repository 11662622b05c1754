// The commands for the webhook subscriptions of all users, and for their deliveries.
import { describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { withBan, withoutBan } from '../../shared/accounts/user.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { openRecorder } from '../webhooks/recording.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
const operator = operatorOn(world)

async function openFailed() {
  const recorder = await openRecorder()
  const { id } = await world.create.webhook(recorder.url('500'), { events: ['test.ping'] })
  const asAdmin = { token: world.admin, params: { id } }
  for (let n = 0; n < 2; n++) await world.call(adminWebhooks.testWebhook, asAdmin)
  await world.call(adminWebhooks.changeWebhook, { ...asAdmin, body: { url: recorder.url('200') } })
  return { id: String(id), recorder }
}

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
    const missing = 'There is no subscription 999999. List all subscriptions: webhooks list'
    expect(await operator.refusal(['webhooks', 'pause', '999999'])).toContain(missing)
  })
})

describe('webhooks list of a subscription with quiet_seconds', () => {
  it('shows how many events are collected, also after quiet_seconds is 0, and none once it is paused', async () => {
    const members = { events: ['post.published'], quiet_seconds: 900 }
    const { id } = await world.create.webhook('https://example.com/hook', members)
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
    const { id } = await openFailed()
    const { out } = await operator.run(['webhooks', 'deliveries', id])
    expect(out.split('\n').filter(line => line !== '')).toHaveLength(2)
    expect(out).toMatch(/^evt_\w+-\d+\.1\tfailed\t.*\ttest.ping\t500\tThe receiver answered 500\.\n/)
    await world.call(adminWebhooks.testWebhook, { token: world.admin, params: { id } })
    const failed = await operator.json(['webhooks', 'deliveries', id, '--failed'])
    expect(failed.map(({ status }: { status: string }) => status)).toEqual(['failed', 'failed'])
    await operator.refusal(['webhooks', 'deliveries', '999999'])
  })

  it('sends one delivery again, and then all that are still failed', async () => {
    const { id, recorder } = await openFailed()
    const [latest] = await operator.json(['webhooks', 'deliveries', id])
    const { out } = await operator.run(['webhooks', 'deliveries', id, '--redeliver', latest.id])
    expect(out).toMatch(/^Queued evt_\w+-\d+\.2\.\n$/)
    await until('the delivery', () => recorder.recorded.length === 3)
    await until('the queues to be empty', world.isIdle)
    const all = await operator.run(['webhooks', 'deliveries', id, '--redeliver-since', '2026-01-01'])
    expect(all).toMatchObject({ code: 0, out: 'Deliveries that are sent again, oldest first: 1.\n' })
    await until('the other delivery', () => recorder.recorded.length === 4)
  })

  it('says why it sends none again', async () => {
    const { id } = await openFailed()
    const [latest] = await operator.json(['webhooks', 'deliveries', id])
    const argv = ['webhooks', 'deliveries', id, '--redeliver', latest.id]
    await operator.run(['webhooks', 'pause', id])
    expect(await operator.refusal(argv)).toContain('The subscription is paused. Resume it first.')
    await operator.run(['webhooks', 'pause', id, '--resume'])
    await changeUser(world.table, world.owner.id, user => withBan(user, { reason: null, until: null }))
    expect(await operator.refusal(argv)).toContain('The subscription is suspended')
    await changeUser(world.table, world.owner.id, user => withoutBan(user, Date.now()))
  })
})
