// A message with several subscriptions: each is claimed, sent and counted by itself. Those that fail before
// their claim come again alone.
import { describe, expect, it } from 'vitest'
import { withBan } from '../../shared/accounts/ban.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { webhookKey } from '../../shared/table/design.ts'
import { removeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { use } from '../world/use.ts'
import { unitOfWorkOn } from '../world/work.ts'
import { claimAndDie, DONE, laterFunction, openMessage, STAYS, storedDelivery } from './message-world.ts'
import { countsOf, messageTo } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

describe('a message with 25 subscriptions', () => {
  it('is done if some deliveries fail before their claim, which then come again alone', async () => {
    const { receiver, webhooks, event, batch } = await openMessage(workers, 25)
    const broken = webhooks[7]
    if (!broken) throw new Error('There are 25.')
    const key = webhookKey(broken.owner_id, broken.id)
    await workers.table.putMany([{ ...key, ...broken, sealed_secret: '1.damaged' }])
    const { deliverBatch, sent } = workers.openFunction()
    expect(await deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(24)
    expect(await storedDelivery(workers, broken, event)).toBeUndefined()
    const [again] = sent
    expect(sent).toMatchObject([{ body: messageTo([broken], event), delaySeconds: expect.any(Number) }])
    for (let n = 0; n < 2; n++) expect(await deliverBatch(batchOf(again?.body))).toEqual(STAYS)
    expect(workers.logged).toContainEqual(expect.objectContaining({ message: 'deliveries are tried again' }))
    expect(sent).toHaveLength(1)

    await workers.table.putMany([{ ...key, ...broken }])
    expect(await workers.openFunction().deliverBatch(batchOf(again?.body))).toEqual(DONE)
    expect(receiver.received).toHaveLength(25)
    const counts = await Promise.all(webhooks.map(webhook => countsOf(workers.table, webhook)))
    expect(counts).toEqual(webhooks.map(() => ({ total: 1, failed: 0 })))
  })

  it('stays if the queue refuses the message with the deliveries that failed', async () => {
    const { webhooks, batch } = await openMessage(workers, 2)
    const broken = webhooks[1]
    if (!broken) throw new Error('There are two.')
    const damaged = { ...webhookKey(broken.owner_id, broken.id), ...broken, sealed_secret: '1.damaged' }
    await workers.table.putMany([damaged])
    expect(await workers.openFunction({}, { refuses: true }).deliverBatch(batch)).toEqual(STAYS)
  })

  it('is sent once by five functions that get it together', async () => {
    const { receiver, webhooks, batch } = await openMessage(workers, 25)
    const functions = Array.from({ length: 5 }, () => workers.openFunction())
    await Promise.all(functions.map(({ deliverBatch }) => deliverBatch(batch)))
    for (const { deliverBatch } of functions) expect(await deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(25)
    const counts = await Promise.all(webhooks.map(webhook => countsOf(workers.table, webhook)))
    expect(counts).toEqual(webhooks.map(() => ({ total: 1, failed: 0 })))
  })
})

describe('a message whose function died after a claim', () => {
  it('is tried again while the lease of the claim runs, and then ends it as interrupted without a POST', async () => {
    const { receiver, webhooks, event, batch } = await openMessage(workers, 3)
    const [claimed] = webhooks
    if (!claimed) throw new Error('There are three.')
    await claimAndDie(workers, claimed, event)
    const { deliverBatch, sent } = workers.openFunction()
    expect(await deliverBatch(batch)).toEqual(DONE)
    expect(receiver.received).toHaveLength(2)
    expect(sent).toMatchObject([{ body: messageTo([claimed], event) }])
    expect(await deliverBatch(batchOf(sent[0]?.body))).toEqual(STAYS)
    expect(await countsOf(workers.table, claimed)).toEqual({ total: 0, failed: 0 })

    for (let n = 0; n < 2; n++) {
      expect(await laterFunction(workers).deliverBatch(batch)).toEqual(DONE)
      expect(receiver.received).toHaveLength(2)
      expect(await countsOf(workers.table, claimed)).toEqual({ total: 1, failed: 1 })
    }
    expect(await storedDelivery(workers, claimed, event)).toMatchObject({
      status: 'failed',
      error: 'interrupted',
    })
  })

  it.each([
    [
      'its owner was banned',
      ({ owner_id }: WebhookRecord) =>
        changeUser(workers.table, owner_id, user => withBan(user, { reason: null, until: null })),
      { total: 1, failed: 1 },
    ],
    [
      'it was deleted',
      ({ owner_id, id }: WebhookRecord) =>
        removeWebhook(unitOfWorkOn(workers.table), { ownerId: owner_id, id }),
      undefined,
    ],
  ])('ends the claim of a subscription even if %s before its end', async (_what, alter, counts) => {
    const { receiver, webhooks, event, batch } = await openMessage(workers, 1)
    const [claimed] = webhooks
    if (!claimed) throw new Error('There is one.')
    await claimAndDie(workers, claimed, event)
    await alter(claimed)
    expect(await workers.openFunction().deliverBatch(batch)).toEqual(STAYS)
    expect(await laterFunction(workers).deliverBatch(batch)).toEqual(DONE)
    expect(await storedDelivery(workers, claimed, event)).toMatchObject({
      status: 'failed',
      error: 'interrupted',
    })
    if (counts) expect(await countsOf(workers.table, claimed)).toEqual(counts)
    expect(receiver.received).toEqual([])
  })
})

describe('a function that dies', () => {
  const CALLS = ['findMany', 'write', 'transact'] as const
  const moments = CALLS.flatMap(call => [false, true].map(isWritten => ({ call, isWritten })))

  it.each(moments)(
    'at $call (done: $isWritten) leaves deliveries that are sent at most once, and end',
    async ({ call, isWritten }) => {
      const { receiver, webhooks, event, batch } = await openMessage(workers, 3)
      let died = () => {}
      const isDead = new Promise<void>(resolve => {
        died = resolve
      })
      const { table } = workers
      const dying = async (run: () => Promise<unknown>): Promise<never> => {
        if (isWritten) await run()
        died()
        return await new Promise<never>(() => {})
      }
      const changes = {
        findMany: (...args: Parameters<typeof table.findMany>) => dying(() => table.findMany(...args)),
        write: (...args: Parameters<typeof table.write>) => dying(() => table.write(...args)),
        transact: (...args: Parameters<typeof table.transact>) => dying(() => table.transact(...args)),
      }
      void workers.openFunction({ [call]: changes[call] }).deliverBatch(batch)
      await isDead
      if (call === 'transact') await receiver.waitFor(3)

      await workers.openFunction().deliverBatch(batch)
      expect(await laterFunction(workers).deliverBatch(batch)).toEqual(DONE)
      expect(receiver.received.length).toBeLessThanOrEqual(3)
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      expect(new Set(ids).size).toBe(ids.length)
      for (const webhook of webhooks) {
        expect((await storedDelivery(workers, webhook, event))?.status).toMatch(/^(succeeded|failed)$/)
        expect(await countsOf(workers.table, webhook)).toMatchObject({ total: 1 })
      }
    },
  )
})
