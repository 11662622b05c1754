// Functions keep subscriptions in memory: each change is seen by the first delivery after it was answered.
import { describe, expect, it } from 'vitest'
import { withBan } from '../../shared/accounts/ban.ts'
import { revokeTokens } from '../../shared/accounts/commands/revoke-tokens.ts'
import { removeToken } from '../../shared/accounts/commands/tokens.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import type { Action } from '../../shared/table/action.ts'
import { subscriptionsKey, userKey } from '../../shared/table/design.ts'
import { rotateSecret } from '../../shared/webhooks/commands/rotate-secret.ts'
import { changeWebhook, removeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { changedWebhook, type WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { versionIsSettled } from '../world/settled.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { createToken, messageTo, newEvent, subscribe } from './subscriptions.ts'
import { environment, startWorkers } from './workers.ts'

const workers = use(startWorkers)

const HOUR_MS = 3_600_000
const NO_FAILURES = { batchItemFailures: [] }

function refOf({ owner_id, id }: WebhookRecord) {
  return { ownerId: owner_id, id }
}

function change(webhook: WebhookRecord, to: { is_active?: boolean; url?: string }, table = workers.table) {
  return changeWebhook(unitOfWorkOn(table), refOf(webhook), read => changedWebhook(read, to, Date.now()))
}

/** A subscription, and three functions that have delivered to it and fanned out to it before. */
async function open() {
  const receiver = await openSubscriber()
  const webhook = await subscribe(workers.table, receiver.url, { sinceMs: Date.now() - HOUR_MS })
  const functions = [workers.openFunction(), workers.openFunction(), workers.openFunction()]
  const deliverToAll = async (): Promise<void> => {
    for (const { deliverBatch } of functions) {
      expect(await deliverBatch(batchOf(messageTo([webhook])))).toEqual(NO_FAILURES)
    }
  }
  const isFannedOut = async (): Promise<boolean[]> => {
    const sent = await Promise.all(functions.map(({ fanOut }) => fanOut(newEvent())))
    return sent.map(messages =>
      messages.some(
        ({ body }) => 'subscriptions' in body && body.subscriptions.some(({ id }) => id === webhook.id),
      ),
    )
  }
  await Promise.all([deliverToAll(), isFannedOut()])
  await versionIsSettled()
  for (let n = 0; n < 2; n++) await deliverToAll()
  expect(await isFannedOut()).toEqual([true, true, true])
  const before = receiver.received.length
  const newlyReceived = async (): Promise<number> => {
    await deliverToAll()
    return receiver.received.length - before
  }
  return { receiver, webhook, functions, newlyReceived, isFannedOut }
}

const OWNER_CHANGES: [string, (webhook: WebhookRecord) => Promise<unknown>][] = [
  [
    'was banned',
    ({ owner_id }) =>
      changeUser(workers.table, owner_id, user => withBan(user, { reason: null, until: null })),
  ],
  ['lost all tokens', ({ owner_id }) => revokeTokens(unitOfWorkOn(workers.table), owner_id)],
  ['was deleted', ({ owner_id }) => workers.table.removeMany([userKey(owner_id)])],
]

const CHANGES: [string, (webhook: WebhookRecord) => Promise<unknown>][] = [
  ['was paused', webhook => change(webhook, { is_active: false })],
  ['was deleted', webhook => removeWebhook(unitOfWorkOn(workers.table), refOf(webhook))],
]

describe('a subscription that several functions keep in memory', () => {
  it.each(CHANGES)('gets no event that happens after it %s', async (_what, alter) => {
    const { webhook, newlyReceived, isFannedOut } = await open()
    await alter(webhook)
    expect(await newlyReceived()).toBe(0)
    expect(await isFannedOut()).toEqual([false, false, false])
  })

  it.each(OWNER_CHANGES)('gets no event after its owner %s', async (_what, alter) => {
    const { webhook, newlyReceived } = await open()
    await alter(webhook)
    expect(await newlyReceived()).toBe(0)
  })

  it('gets no event after the last admin token of its owner was deleted', async () => {
    const { webhook, newlyReceived } = await open()
    const { id } = await createToken(workers.table, webhook.owner_id)
    await removeToken(workers.table, webhook.owner_id, id - 1)
    expect(await newlyReceived()).toBe(3)
    await removeToken(workers.table, webhook.owner_id, id)
    expect(await newlyReceived()).toBe(3)
  })

  it('gets the next event at its new URL', async () => {
    const moved = await openSubscriber()
    const { webhook, newlyReceived } = await open()
    await change(webhook, { url: moved.url })
    expect(await newlyReceived()).toBe(0)
    expect(moved.received).toHaveLength(3)
  })

  it('signs the next delivery with both secrets after its secret was rotated', async () => {
    const { webhook, receiver, newlyReceived } = await open()
    await rotateSecret(unitOfWorkOn(workers.table), environment, refOf(webhook), 1)
    expect(await newlyReceived()).toBe(3)
    const signatures = receiver.received.map(({ headers }) => String(headers['webhook-signature']))
    expect(signatures.slice(0, -3).filter(text => text.includes(' '))).toEqual([])
    expect(signatures.slice(-3).filter(text => text.includes(' '))).toHaveLength(3)
  })

  it('is fanned out to from its creation on, though functions keep the others', async () => {
    await open()
    const { fanOut } = workers.openFunction()
    await fanOut(newEvent())
    await versionIsSettled()
    await fanOut(newEvent())
    const created = await subscribe(workers.table, 'http://127.0.0.1:1/')
    const sent = (await fanOut(newEvent())).flatMap(({ body }) =>
      'subscriptions' in body ? body.subscriptions : [],
    )
    expect(sent.filter(({ id }) => id === created.id)).toHaveLength(1)
  })

  it('gets the next event after it was resumed', async () => {
    const { webhook, newlyReceived, isFannedOut } = await open()
    await change(webhook, { is_active: false })
    expect(await isFannedOut()).toEqual([false, false, false])
    await change(webhook, { is_active: true })
    expect(await isFannedOut()).toEqual([true, true, true])
    expect(await newlyReceived()).toBe(3)
  })

  it('gets no event that happened before it was changed, if functions read it while it changed', async () => {
    const { webhook, functions, receiver } = await open()
    const before = receiver.received.length
    const event = newEvent({ happened_ms: Date.now() - 1 })
    const racing = functions.map(({ deliverBatch }) => deliverBatch(batchOf(messageTo([webhook]))))
    await Promise.all([change(webhook, { is_active: false }), ...racing])
    const during = receiver.received.length
    expect(during - before).toBeLessThanOrEqual(3)
    for (const { deliverBatch } of functions) await deliverBatch(batchOf(messageTo([webhook], event)))
    expect(receiver.received).toHaveLength(during)
  })
})

describe('a write that does not raise the version', () => {
  /** The table of a version that knows of no version. */
  const older = () => ({
    ...workers.table,
    transact: (actions: Action[]) =>
      workers.table.transact(
        actions.filter(action => !('Update' in action && action.Update.Key.pk === subscriptionsKey.pk)),
      ),
  })

  it('is missed by functions that keep the subscription, for at most half a minute', async () => {
    const { webhook, functions, newlyReceived, isFannedOut } = await open()
    await change(webhook, { is_active: false }, older())
    expect(await newlyReceived()).toBe(3)
    expect(await isFannedOut()).toEqual([true, true, true])
    for (const { advance } of functions) advance(30_001)
    expect(await newlyReceived()).toBe(3)
    expect(await isFannedOut()).toEqual([false, false, false])
  })
})
