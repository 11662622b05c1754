// Commands for the webhook subscriptions of all users. The API shows each admin only their own.
import * as z from 'zod/mini'
import { findAdmin } from '../../../shared/accounts/store/tokens.ts'
import { findUser } from '../../../shared/accounts/store/users.ts'
import { isBanned } from '../../../shared/accounts/user.ts'
import { TimeInput } from '../../../shared/http/time.ts'
import { readSettings } from '../../../shared/site/store.ts'
import type { Table } from '../../../shared/table/client.ts'
import { fanOutKey } from '../../../shared/table/design.ts'
import { findBurst } from '../../../shared/webhooks/commands/collect.ts'
import { redeliver, redeliverAll } from '../../../shared/webhooks/commands/redeliver.ts'
import { changeWebhook } from '../../../shared/webhooks/commands/webhooks.ts'
import { deliveryView } from '../../../shared/webhooks/delivery.ts'
import { listAttempts } from '../../../shared/webhooks/store/log.ts'
import { listFanOutEntries, listWebhooks } from '../../../shared/webhooks/store/webhooks.ts'
import {
  changedWebhook,
  FanOutEntry,
  type WebhookRecord,
  webhookView,
} from '../../../shared/webhooks/webhook.ts'
import {
  type Context,
  command,
  flag,
  numberOf,
  OperatorError,
  optionalText,
  type Result,
  unitOfWorkOf,
  value,
} from '../command.ts'

const ID = value('ID', 'number of the subscription', numberOf('subscription', 'webhooks list'))

/** Nothing is delivered to the subscriptions of a user who is banned or has no valid admin token. */
async function isSuspended({ target: { table }, nowSeconds }: Context, userId: number): Promise<boolean> {
  const admin = await findAdmin(table, userId, { nowSeconds, settings: await readSettings(table) })
  return admin === undefined || isBanned(admin, nowSeconds)
}

const list = command({
  name: 'webhooks list',
  summary: 'List the subscriptions of all users with their counters, tab-separated',
  details: `  Nothing is delivered to a suspended subscription: its user is banned or has no valid admin token.
  With quiet_seconds it also shows how many events are collected for the next batch.`,
  run: async (_, context) => {
    const owners = new Set((await listFanOutEntries(context.target.table)).map(({ owner_id }) => owner_id))
    const found = await Promise.all([...owners].map(ownerId => subscriptionsOf(context, ownerId)))
    const all = found.flat().sort((a, b) => a.id - b.id)
    const lines = all.map(webhook => [
      ...[webhook.id, stateOf(webhook), webhook.owner ?? `user ${webhook.owner_id}`],
      ...[webhook.name, webhook.url, webhook.events.join(',')],
      `${webhook.total_deliveries} sent, ${webhook.failed_deliveries} of them failed`,
      ...(webhook.collected === undefined ? [] : [`${webhook.collected} collected`]),
    ])
    return { lines, json: all }
  },
})

async function subscriptionsOf(context: Context, owner_id: number) {
  const { table } = context.target
  const [user, is_suspended, all] = await Promise.all([
    findUser(table, owner_id),
    isSuspended(context, owner_id),
    listWebhooks(table, owner_id),
  ])
  const bursts = await Promise.all(all.map(webhook => countCollected(table, webhook)))
  const owner = { is_suspended, owner_id, owner: user?.email ?? null }
  return all.map((webhook, n) => ({
    ...webhookView(webhook),
    ...(bursts[n] !== undefined && { collected: bursts[n] }),
    ...owner,
  }))
}

/** How many events wait for the next batch. Undefined if it never collected any. */
async function countCollected(table: Table, webhook: WebhookRecord) {
  // It may be 0 by now, which acts on the events after those that wait.
  if (webhook.quiet_seconds === undefined) return undefined
  const burst = await findBurst(table, webhook.id)
  const isDropped = !webhook.is_active || burst?.active_since_ms !== webhook.active_since_ms
  return isDropped ? 0 : burst.count
}

function stateOf({ is_active, is_suspended }: { is_active: boolean; is_suspended: boolean }): string {
  if (!is_active) return 'paused'
  return is_suspended ? 'suspended' : 'active'
}

/** Throws OperatorError if there is no such subscription. */
async function findSubscription(table: Table, id: number): Promise<{ ownerId: number; id: number }> {
  const entry = await table.find(fanOutKey(id), FanOutEntry)
  if (entry) return { ownerId: entry.owner_id, id }
  throw new OperatorError(`There is no subscription ${id}. List all subscriptions: webhooks list`)
}

const pause = command({
  name: 'webhooks pause',
  summary: 'Pause a subscription: events of the pause are never delivered to it; or resume it',
  args: { id: ID },
  options: { resume: flag('resume it, starting with the next event') },
  run: async ({ id, resume: is_active }, context) => {
    const ref = await findSubscription(context.target.table, id)
    const change = (before: WebhookRecord) => changedWebhook(before, { is_active }, context.nowMs)
    const webhook = await changeWebhook(unitOfWorkOf(context), ref, change)
    const done = is_active ? 'Resumed' : 'Paused'
    return {
      lines: [`${done} subscription ${id}, ${webhook.name} (${webhook.url}).`],
      json: { id, is_active },
    }
  },
})

const SHOWN = 50

const deliveries = command({
  name: 'webhooks deliveries',
  summary: `List the last ${SHOWN} deliveries to a subscription, newest first, or send some again`,
  args: { id: ID },
  options: {
    failed: flag('only deliveries whose attempt failed'),
    redeliver: optionalText('DELIVERY', 'id of a delivery to send again'),
    'redeliver-since': value(
      'TIME',
      'send all failed ones again whose event is from 2026-05-26T15:00:00Z on',
      z.optional(TimeInput),
    ),
  },
  problemOf: ({ failed, redeliver, 'redeliver-since': since }) =>
    [failed, redeliver !== undefined, since !== undefined].filter(Boolean).length > 1
      ? 'Pass one of --failed, --redeliver and --redeliver-since.'
      : undefined,
  run: async ({ id, failed, redeliver: delivery, 'redeliver-since': since }, context) => {
    const ref = await findSubscription(context.target.table, id)
    if (delivery !== undefined || since !== undefined) return await sendAgain(context, ref, delivery, since)
    const isWanted = ({ status }: { status: string }) => status === 'failed'
    const query = { webhookId: id, nowMs: context.nowMs, limit: SHOWN, ...(failed && { isWanted }) }
    const shown = (await listAttempts(context.target.table, query)).attempts.map(deliveryView)
    const lines = shown.map(({ id, status, occurred_at, event, response_status, error_detail }) => [
      ...[id, status, occurred_at, event, response_status ?? '-', error_detail ?? ''],
    ])
    return { lines, json: shown }
  },
})

async function sendAgain(
  context: Context,
  ref: { ownerId: number; id: number },
  delivery: string | undefined,
  since = 0,
): Promise<Result> {
  if (await isSuspended(context, ref.ownerId)) {
    throw new OperatorError(
      'The subscription is suspended: its owner is banned or has no admin token. Lift the ban or create a token: token create',
    )
  }
  const work = unitOfWorkOf(context)
  if (delivery !== undefined) {
    const { data } = await redeliver(work, ref, delivery)
    return { lines: [`Queued ${data.id}.`], json: data }
  }
  const { data } = await redeliverAll(work, ref, { since, status: 'failed' })
  return { lines: [`Deliveries that are sent again, oldest first: ${data.matched}.`], json: data }
}

export const WEBHOOK_COMMANDS = [list, pause, deliveries]
