// The mail to the owner of a subscription to which nothing can be delivered.
import { describe, expect, it } from 'vitest'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openRecorder } from '../webhooks/recording.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { testWebhook, getWebhook } = adminWebhooks

/** A subscription of a new admin, with so many failed tests. */
async function openFailing(count: number) {
  const recorder = await openRecorder()
  const owner = await world.create.user({ abilities: ['admin'] })
  const { id } = await world.create.webhook(recorder.url('500'), { events: ['post.published'] }, owner.token)
  const asOwner = { token: owner.token, params: { id } }
  for (let n = 0; n < count; n++) await world.call(testWebhook, asOwner)
  const deliverPost = async () => {
    const before = recorder.recorded.length
    await world.create.livePost()
    await until('the delivery', () => recorder.recorded.length > before)
    await until('the queues to be empty', world.isIdle)
  }
  return { id, recorder, owner, asOwner, deliverPost }
}

function mailsTo({ email }: { email: string }) {
  return world.mails.filter(({ to }) => to === email)
}

describe('a subscription whose last 20 deliveries failed', () => {
  it('is reported to its owner by one mail, with the last error and how to look it up', async () => {
    const { id, owner, asOwner, deliverPost } = await openFailing(18)
    await deliverPost()
    expect(mailsTo(owner)).toEqual([])
    await deliverPost()
    const mail = await world.mailTo(owner.email)
    expect(mail.subject).toBe(`Deliveries to your webhook ${id} fail`)
    expect(mail.text).toContain('The receiver answered 500.')
    expect(mail.text).toContain(`GET /api/v1/admin/webhooks/${id}/deliveries?status=failed`)
    expect((await world.call(getWebhook, asOwner)).data.recent).toEqual({ succeeded: 0, failed: 20 })
    await deliverPost()
    expect(mailsTo(owner)).toHaveLength(1)
  })
})
