// The commands that list deliveries and send them again.
import { beforeAll, describe, expect, it } from 'vitest'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openRecorder } from '../webhooks/recording.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
let operator: ReturnType<typeof operatorOn>
beforeAll(() => {
  operator = operatorOn(world)
})

async function openFailed() {
  const recorder = await openRecorder()
  const { id } = await world.create.webhook(recorder.url('500'), { events: ['test.ping'] })
  const asAdmin = { token: world.admin, params: { id } }
  for (let n = 0; n < 2; n++) await world.call(adminWebhooks.testWebhook, asAdmin)
  await world.call(adminWebhooks.changeWebhook, { ...asAdmin, body: { url: recorder.url('200') } })
  return { id: String(id), recorder }
}

describe('webhooks deliveries', () => {
  it('lists the deliveries to a subscription, newest first, or only those that failed', async () => {
    const { id } = await openFailed()
    const { out } = await operator.run(['webhooks', 'deliveries', id])
    expect(out.split('\n').filter(line => line !== '')).toHaveLength(2)
    expect(out).toMatch(/^evt_\w+-\d+\.1\tfailed\t.*\ttest.ping\t500\tThe receiver answered 500\.\n/)
    await world.call(adminWebhooks.testWebhook, { token: world.admin, params: { id } })
    const failed = await operator.json(['webhooks', 'deliveries', id, '--failed'])
    expect(failed.map(({ status }: { status: string }) => status)).toEqual(['failed', 'failed'])
    expect(await operator.run(['webhooks', 'deliveries', '999999'])).toMatchObject({ code: 1 })
  })
})

describe('webhooks redeliver', () => {
  it('sends one delivery again, and then all that are still failed', async () => {
    const { id, recorder } = await openFailed()
    const [latest] = await operator.json(['webhooks', 'deliveries', id])
    const { out } = await operator.run(['webhooks', 'redeliver', id, latest.id])
    expect(out).toMatch(/^Queued evt_\w+-\d+\.2\.\n$/)
    await until('the delivery', () => recorder.recorded.length === 3)
    await until('the queues to be empty', world.isIdle)
    const all = await operator.run(['webhooks', 'redeliver', id, '--since', '2026-01-01'])
    expect(all).toMatchObject({ code: 0, out: '1 delivery is sent again, oldest first.\n' })
    await until('the other delivery', () => recorder.recorded.length === 4)
  })

  it('says why it does not', async () => {
    const { id } = await openFailed()
    const [latest] = await operator.json(['webhooks', 'deliveries', id])
    expect(await operator.run(['webhooks', 'redeliver', id])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Name either a DELIVERY or a time with --since.'),
    })
    await operator.run(['webhooks', 'pause', id])
    expect(await operator.run(['webhooks', 'redeliver', id, latest.id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('The subscription is paused. Resume it first.'),
    })
    await operator.run(['webhooks', 'resume', id])
    await operator.run(['user', 'ban', world.owner.email])
    expect(await operator.run(['webhooks', 'redeliver', id, latest.id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('The subscription is suspended'),
    })
    await operator.run(['user', 'unban', world.owner.email])
  })
})
