// The subscriptions of an owner rest during a ban, and without a valid admin token.
import { describe, expect, it } from 'vitest'
import { removeToken, revokeTokens } from '../../shared/accounts/commands/tokens.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { withoutBan } from '../../shared/accounts/user.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import { userKey } from '../../shared/table/design.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../support/queue.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { use } from '../support/use.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { banOwner, createToken, messageTo, newEvent, storedDelivery, subscribe } from './subscriptions.ts'
import { DONE, startWorkers } from './workers.ts'

const workers = use(startWorkers)

const HOUR_MS = 3_600_000

/** A subscription of an owner with one admin token, both an hour old. */
async function open() {
  const receiver = await openSubscriber()
  return subscribe(workers.table, receiver.url, { sinceMs: Date.now() - HOUR_MS })
}

function revokeAllTokens({ owner_id }: WebhookRecord) {
  return revokeTokens(unitOfWorkOn(workers.table), owner_id)
}

/** Whether an event of that time is delivered. */
async function isDelivered(webhook: WebhookRecord, happened_ms = Date.now()): Promise<boolean> {
  const event = newEvent({ happened_ms })
  expect(await workers.deliverBatch(batchOf(messageTo([webhook], event)))).toEqual(DONE)
  return (await storedDelivery(workers, webhook, event))?.status === 'succeeded'
}

describe('the subscription of a former admin', () => {
  it('gets no events after all tokens were revoked, until there is a new admin token', async () => {
    const webhook = await open()
    expect(await isDelivered(webhook)).toBe(true)
    await revokeAllTokens(webhook)
    expect(await isDelivered(webhook)).toBe(false)
    await createToken(workers.table, webhook.owner_id)
    expect(await isDelivered(webhook)).toBe(true)
  })

  it('gets no events after the only admin token was deleted', async () => {
    const webhook = await open()
    const second = await createToken(workers.table, webhook.owner_id)
    expect(await isDelivered(webhook)).toBe(true)
    await removeToken(workers.table, webhook.owner_id, second.id)
    expect(await isDelivered(webhook)).toBe(true)
    await removeToken(workers.table, webhook.owner_id, second.id - 1)
    expect(await isDelivered(webhook)).toBe(false)
  })

  it('gets all events while one admin token replaces another', async () => {
    const webhook = await open()
    const beforeMs = Date.now() - 1_000
    const next = await createToken(workers.table, webhook.owner_id)
    await removeToken(workers.table, webhook.owner_id, next.id - 1)
    expect(await isDelivered(webhook, beforeMs)).toBe(true)
  })

  it('gets no events after the admin token expired by the setting', async () => {
    const webhook = await open()
    await saveSettings(workers.table, { 'auth.token_lifetime_minutes': 30 })
    expect(await isDelivered(webhook)).toBe(false)
    await saveSettings(workers.table, { 'auth.token_lifetime_minutes': null })
    expect(await isDelivered(webhook)).toBe(true)
  })
})

describe('a banned owner', () => {
  it('gets no event fired during the ban, and every event fired after it was lifted', async () => {
    const webhook = await open()
    await banOwner(workers.table, webhook)
    const meantimeMs = Date.now()
    expect(await isDelivered(webhook, meantimeMs)).toBe(false)
    await changeUser(workers.table, webhook.owner_id, user => withoutBan(user, meantimeMs + 1))
    expect(await isDelivered(webhook, meantimeMs)).toBe(false)
    expect(await isDelivered(webhook, meantimeMs + 1)).toBe(true)
  })

  it('gets no events until a ban with an end is over, and every event from that second on', async () => {
    const webhook = await open()
    const nowSeconds = Math.floor(Date.now() / 1000)
    await banOwner(workers.table, webhook, nowSeconds + 60)
    expect(await isDelivered(webhook)).toBe(false)
    const until = nowSeconds - 2
    await banOwner(workers.table, webhook, until)
    expect(await isDelivered(webhook, until * 1000 - 1)).toBe(false)
    expect(await isDelivered(webhook, until * 1000)).toBe(true)
  })
})

describe('a deleted owner', () => {
  it('gets no events', async () => {
    const webhook = await open()
    await workers.table.removeMany([userKey(webhook.owner_id)])
    expect(await isDelivered(webhook)).toBe(false)
  })
})
