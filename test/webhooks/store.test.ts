// Subscriptions in the table: their limit, their secrets, and what concurrent changes leave.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { webhooksOwnedKey } from '../../shared/table/design.ts'
import { claim } from '../../shared/webhooks/commands/deliver.ts'
import { finalise } from '../../shared/webhooks/commands/finalise.ts'
import { firstAttempt, INTERRUPTED, sentEvent } from '../../shared/webhooks/delivery.ts'
import { listRecent } from '../../shared/webhooks/store/log.ts'
import { getWebhook, listFanOutEntries, listWebhooks } from '../../shared/webhooks/store/webhooks.ts'
import { MAX_WEBHOOKS, type WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { useTable } from '../support/new-table.ts'
import { change, newEvent, refOf, remove, subscribe } from './subscriptions.ts'

const world = useTable()

const HOOK_URL = 'https://a.example/hook'

function itemsOf(pk: string) {
  return world.table.query({ pk }, z.looseObject({ sk: z.string() }))
}

async function fanOutEntryOf({ id }: WebhookRecord) {
  return (await listFanOutEntries(world.table)).find(row => row.id === id)
}

describe('an owner of subscriptions', () => {
  it('gets only their own subscriptions, by id', async () => {
    const first = await subscribe(world.table, HOOK_URL, { ownerId: 11 })
    const other = await subscribe(world.table, HOOK_URL, { ownerId: 12 })
    const second = await subscribe(world.table, HOOK_URL, { ownerId: 11 })
    const listed = await listWebhooks(world.table, 11)
    expect(listed).toEqual([first, second])
    await expect(getWebhook(world.table, { ownerId: 11, id: other.id })).rejects.toThrow('not found')
    expect(await listWebhooks(world.table, 13)).toEqual([])
  })

  it(`gets at most ${MAX_WEBHOOKS}, even if they are created concurrently, and another one after a deletion`, async () => {
    const creations = Array.from({ length: MAX_WEBHOOKS + 5 }, () =>
      subscribe(world.table, HOOK_URL, { ownerId: 21 }),
    )
    const results = await Promise.allSettled(creations)
    const rejected = results.filter(({ status }) => status === 'rejected')
    expect(rejected).toHaveLength(5)
    expect(rejected[0]).toMatchObject({ reason: { code: 'VALIDATION_ERROR' } })
    const all = await listWebhooks(world.table, 21)
    expect(all).toHaveLength(MAX_WEBHOOKS)

    const [first] = all
    if (first) await remove(world.table, first)
    await subscribe(world.table, HOOK_URL, { ownerId: 21 })
    await expect(subscribe(world.table, HOOK_URL, { ownerId: 21 })).rejects.toMatchObject({
      fields: { webhooks: [expect.stringContaining('at most 100')] },
    })
  })
})

describe('a change of a subscription', () => {
  it('keeps the members that concurrent changes set, in the record and in the fan-out entry', async () => {
    const webhook = await subscribe(world.table, HOOK_URL)
    const sent = { events: ['post.updated' as const], is_active: false }
    const all = { name: 'Shop', url: 'https://b.example/', ...sent }
    const changes = Object.entries(all).map(([name, value]) => ({ [name]: value }))
    const changed = await Promise.all(changes.map(to => change(world.table, webhook, to)))
    const after = await getWebhook(world.table, refOf(webhook))
    expect(changed).toContainEqual(after)
    expect(after).toMatchObject({ ...all, revision: 1 + changes.length })
    expect(await fanOutEntryOf(webhook)).toMatchObject(sent)
  })

  it('does not restore a subscription that is deleted at the same time', async () => {
    const webhook = await subscribe(world.table, HOOK_URL)
    const changing = change(world.table, webhook, { name: 'Shop' })
    const outcomes = await Promise.allSettled([changing, remove(world.table, webhook)])
    expect(outcomes[1]).toMatchObject({ status: 'fulfilled' })
    await expect(getWebhook(world.table, refOf(webhook))).rejects.toThrow('not found')
    expect(await fanOutEntryOf(webhook)).toBeUndefined()
  })
})

describe('a deleted subscription', () => {
  it('leaves only the count of its owner, and a second deletion returns NOT_FOUND', async () => {
    const webhook = await subscribe(world.table, HOOK_URL, { ownerId: 31 })
    // The record, and the count of its owner.
    expect(await itemsOf(webhooksOwnedKey(31).pk)).toHaveLength(1 + 1)
    await remove(world.table, webhook)
    expect(await itemsOf(webhooksOwnedKey(31).pk)).toMatchObject([{ sk: 'OWNED', owned: 0 }])
    expect(await fanOutEntryOf(webhook)).toBeUndefined()
    await expect(remove(world.table, webhook)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await itemsOf(webhooksOwnedKey(31).pk)).toMatchObject([{ owned: 0 }])
  })
})

describe('the state of a receiver', () => {
  it('costs no reads of older attempts than the last 20 that ended', async () => {
    const webhook = await subscribe(world.table, HOOK_URL)
    const nowMs = Date.now()
    const response = { headers: {}, body_start: 'a'.repeat(1_024) }
    for (let n = 0; n < 60; n++) {
      const event = newEvent()
      const ref = firstAttempt(webhook, event.id)
      await claim({ table: world.table, nowMs }, ref, sentEvent(event))
      await finalise(world.table, { ref, outcome: { ...INTERRUPTED, response }, nowMs })
    }
    const { used } = await world.measure(async () => {
      expect(await listRecent(world.table, webhook.id, nowMs)).toHaveLength(20)
    })
    expect(used.calls).toBe(1)
    expect(used.readUnits).toBeLessThanOrEqual(12)
  })
})
