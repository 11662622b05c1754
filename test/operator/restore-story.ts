// A table before and after a moment, to which it is restored: what has happened since must not happen again.

import { openLocalTable } from '../../infra/local/dynamodb/table.ts'
import { TABLE_OUTPUT } from '../../infra/names.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { type EventMessage, newEventId } from '../../shared/events/message.ts'
import { outboxRow } from '../../shared/events/outbox.ts'
import { addRefusal } from '../../shared/mail/refusals.ts'
import { claimMail, endMail } from '../../shared/mail/send.ts'
import { announceDue } from '../../shared/posts/commands/announce.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { PostInput } from '../../shared/posts/fields.ts'
import type { Table } from '../../shared/table/client.ts'
import { burstKey, type Item, replayKey } from '../../shared/table/design.ts'
import { COUNTERS } from '../../shared/table/kinds.ts'
import { lastId } from '../../shared/table/next-id.ts'
import { collect as collectIn, findBurst } from '../../shared/webhooks/commands/collect.ts'
import { claim } from '../../shared/webhooks/commands/deliver.ts'
import { endRunning } from '../../shared/webhooks/commands/redeliver.ts'
import { addWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { firstAttempt, sentEvent } from '../../shared/webhooks/delivery.ts'
import { newWebhook } from '../../shared/webhooks/webhook.ts'
import { startCallProxy } from '../support/faults/call-proxy.ts'
import { newTable } from '../support/new-table.ts'
import type { TableWorld } from '../support/table.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { openRecovery } from './recovery.ts'

/** In milliseconds. Commands run at 12:00. */
export const AT_MS = Date.parse('2026-11-01T11:00:00Z')
const BEFORE_MS = AT_MS - 1_000
const DUE_MS = AT_MS + 600_000
const AFTER_MS = AT_MS + 1_200_000

/** An address of which a mail bounced since. */
export const REFUSING = 'refusing@example.com'

type RestoreStory = {
  /** The table at the moment. */
  content: Item[]
  webhookId: number
  /** A scheduled post that was announced since. */
  announcedId: number
  /** Rows of the moment: the message of the first one was received since. */
  received: Item
  unsent: Item
  /** As of a version to come. */
  unreadable: Item
  /** Mails whose claims began before the moment and after it, and one that SES has yet to accept. */
  mails: Record<'ended' | 'sent' | 'released', string>
}

function eventAt(nowMs: number): EventMessage {
  return {
    kind: 'event',
    id: newEventId(nowMs),
    event: 'post.published',
    occurred_at: new Date(nowMs).toISOString(),
    happened_ms: nowMs,
    request_id: 'test',
    data: { id: 1 },
  }
}

async function claimOf(table: Table, id: string, nowMs: number): Promise<void> {
  const message = { kind: 'verify-email' as const, id, user_id: 1 }
  const claim = await claimMail({ table, key: 'key', nowMs, scale: 1 }, message, `${id}@example.com`)
  if (claim !== 'claimed') throw new Error(`The mail is ${claim}.`)
}

/** Lets the story happen. Afterwards the world has the table of today. */
async function tellStory({ table, dump }: TableWorld): Promise<RestoreStory> {
  const before = unitOfWorkOn(table, BEFORE_MS)
  const ada = { name: 'Ada', email: 'ada@example.com', email_verified: true, password_hash: null }
  const { id: ownerId } = await createUser(table, ada, before.nowSeconds)
  const addPost = async (nowMs: number, members: object = {}) => {
    const input = PostInput.parse({ title: 'A post', body: 'Text.', is_published: true, ...members })
    return (await createPost(unitOfWorkOn(table, nowMs), input, ownerId)).data.id
  }
  await addPost(BEFORE_MS)
  const announcedId = await addPost(BEFORE_MS, { posted_at: new Date(DUE_MS).toISOString() })
  const hook = { name: 'Hook', url: 'https://example.com', events: ['*' as const] }
  const webhook = newWebhook({ id: 1, owner_id: ownerId, sealed_secret: 'sealed' }, hook, BEFORE_MS)
  await addWebhook(before, webhook, { data: {} })
  const [sent, waiting] = [eventAt(BEFORE_MS), eventAt(BEFORE_MS)]
  const rowOf = (body: EventMessage) => outboxRow({ queue: 'events', body }, BEFORE_MS)
  const [received, unsent] = [rowOf(sent), rowOf(waiting)]
  const unreadable = { ...rowOf(waiting), body: { v: 2 } }
  await table.putMany([received, unsent, unreadable])
  const mails = { ended: newEventId(BEFORE_MS), sent: newEventId(AFTER_MS), released: newEventId(AFTER_MS) }
  await claimOf(table, mails.ended, BEFORE_MS)
  const id = newEventId(BEFORE_MS).replace('evt', 'replay')
  const replay = { id, webhook_id: webhook.id, expires: AFTER_MS / 1000 + 86_400 }
  await table.putMany([{ ...replayKey(webhook.id), ...replay }])
  const collect = async (event: EventMessage) => {
    const nowMs = event.happened_ms
    const work = unitOfWorkOn(table, nowMs)
    await collectIn(work, { ...webhook, quiet_seconds: 60 }, event)
  }
  await collect(eventAt(BEFORE_MS))
  const burst = await findBurst(table, webhook.id)
  const content = await dump()

  await addPost(AFTER_MS)
  await announceDue(unitOfWorkOn(table, AFTER_MS), {
    kind: 'due',
    post_id: announcedId,
    posted_at: DUE_MS / 1000,
  })
  await table.removeMany([{ pk: received.pk, sk: received.sk }])
  await claim({ table, nowMs: AFTER_MS }, firstAttempt(webhook, sent.id), sentEvent(sent))
  if (burst) await endRunning(table, burstKey(webhook.id), burst)
  await collect(eventAt(AFTER_MS))
  await endMail(table, mails.ended, 'sent', AFTER_MS)
  await claimOf(table, mails.sent, AFTER_MS)
  await endMail(table, mails.sent, 'sent', AFTER_MS)
  await claimOf(table, mails.released, AFTER_MS)
  await endMail(table, mails.released, 'released', AFTER_MS)
  const bounce = { reason: 'bounce' as const, detail: 'No such user.', refused_ms: AFTER_MS }
  await addRefusal(table, { ...bounce, email: REFUSING })
  return { content, webhookId: webhook.id, announcedId, received, unsent, unreadable, mails }
}

/** A table with its story, behind a proxy that adds what no emulator has. */
export async function openRestoreStory() {
  const world = await newTable()
  const story = await tellStory(world)
  const recovery = openRecovery(world.endpoint, () => story.content)
  const proxy = await startCallProxy(world.endpoint, recovery.interceptor)
  return {
    world,
    story,
    recovery,
    today: await world.dump(),
    /** The endpoint of the emulator, with all that recovery needs. */
    endpoint: proxy.endpoint,
    stop: async () => {
      await recovery.stop()
      await proxy.stop()
      await world.stop()
    },
  }
}

export type RestoreWorld = Awaited<ReturnType<typeof openRestoreStory>>

/** A stage that has the table of the story, or another one. */
export function stageWith({ endpoint, world }: RestoreWorld, tableName = world.tableName) {
  return {
    endpoints: { dynamodb: endpoint, sqs: endpoint, ses: endpoint, secretsManager: endpoint },
    baseUrl: 'https://site.example',
    outputs: { [TABLE_OUTPUT]: tableName },
  }
}

export async function lastIdsOf({ world }: RestoreWorld, name: string): Promise<number[]> {
  const table = openLocalTable(world.endpoint, name)
  return await Promise.all(COUNTERS.map(counter => lastId(table, counter)))
}
