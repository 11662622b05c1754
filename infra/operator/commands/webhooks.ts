// Commands for the webhook subscriptions of all users.
import * as z from 'zod/mini'
import { findAdmin } from '../../../shared/accounts/store/tokens.ts'
import { findUser } from '../../../shared/accounts/store/users.ts'
import { isBanned } from '../../../shared/accounts/user.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { readSettings } from '../../../shared/site/store/settings.ts'
import type { Table } from '../../../shared/table/client.ts'
import { fanOutKey } from '../../../shared/table/design.ts'
import { changeWebhook, removeWebhook, rotateSecret } from '../../../shared/webhooks/commands/webhooks.ts'
import { DEFAULT_OVERLAP_HOURS, MAX_OVERLAP_HOURS } from '../../../shared/webhooks/inputs.ts'
import {
  listFanOutEntries,
  listWebhooks,
  type WebhookWithCounts,
} from '../../../shared/webhooks/store/webhooks.ts'
import { changedWebhook, FanOutEntry, webhookView } from '../../../shared/webhooks/webhook.ts'
import { type Context, command, type Result, value } from '../command.ts'
import { columns } from '../escape.ts'
import { OperatorError } from '../operator-error.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'

const Id = z.pipe(
  z
    .string('Is required.')
    .check(z.regex(/^[1-9]\d{0,14}$/, 'Must be the number of a subscription. List them: webhooks list')),
  z.transform(Number),
)
export const ID = value('ID', 'number of the subscription', Id)

type Owner = { email: string | undefined; isSuspended: boolean }

function viewOf({ webhook, counts }: WebhookWithCounts, { email, isSuspended }: Owner) {
  return {
    ...webhookView(webhook, counts),
    is_suspended: isSuspended,
    owner_id: webhook.owner_id,
    owner: email ?? null,
  }
}

function stateOf({ is_active, is_suspended }: ReturnType<typeof viewOf>): string {
  if (!is_active) return 'paused'
  return is_suspended ? 'suspended' : 'active'
}

function lineOf(webhook: ReturnType<typeof viewOf>): string {
  return columns([
    webhook.id,
    stateOf(webhook),
    webhook.owner ?? `user ${webhook.owner_id}`,
    webhook.name,
    webhook.url,
    webhook.events.join(','),
    `${webhook.total_deliveries} sent, ${webhook.failed_deliveries} of them failed`,
  ])
}

const list = command({
  name: 'webhooks list',
  summary: 'List the subscriptions of all users with their counters, tab-separated',
  details:
    '  Nothing is delivered to a suspended subscription: its user is banned or has no valid admin token.',
  run: async (_, { target: { table }, progress, nowSeconds }) => {
    const settings = await readSettings(table)
    const owners = [...new Set((await listFanOutEntries(table)).map(({ owner_id }) => owner_id))]
    const all: ReturnType<typeof viewOf>[] = []
    for (const [n, ownerId] of owners.entries()) {
      progress.show(`${n} of ${owners.length} owners`)
      const [user, admin, counted] = await Promise.all([
        findUser(table, ownerId),
        findAdmin(table, ownerId, { nowSeconds, settings }),
        listWebhooks(table, ownerId),
      ])
      const owner = { email: user?.email, isSuspended: !admin || isBanned(admin, nowSeconds) }
      for (const webhook of counted) all.push(viewOf(webhook, owner))
    }
    const sorted = all.sort((a, b) => a.id - b.id)
    return { lines: sorted.map(lineOf), json: sorted }
  },
})

/** Throws OperatorError if there is no such subscription. */
export async function findSubscription(table: Table, id: number): Promise<{ ownerId: number; id: number }> {
  const entry = await table.find(fanOutKey(id), FanOutEntry)
  if (!entry) throw missing(id)
  return { ownerId: entry.owner_id, id }
}

function missing(id: number) {
  return new OperatorError(`There is no subscription ${id}. List all subscriptions: webhooks list`)
}

function unlessMissing(id: number) {
  return (error: unknown) => {
    throw error instanceof ApiError && error.code === 'NOT_FOUND' ? missing(id) : error
  }
}

async function setActive(context: Context, id: number, is_active: boolean): Promise<Result> {
  const name = await findSubscription(context.target.table, id)
  const change = (webhook: WebhookWithCounts['webhook']) =>
    changedWebhook(webhook, { is_active }, context.nowMs)
  const { webhook } = await changeWebhook(unitOfWorkOf(context), name, change).catch(unlessMissing(id))
  const done = is_active ? 'Resumed' : 'Paused'
  return {
    lines: [`${done} subscription ${id}, ${webhook.name} (${webhook.url}).`],
    json: { id, is_active },
  }
}

const pause = command({
  name: 'webhooks pause',
  summary: 'Pause a subscription; events during the pause are never delivered to it',
  args: { id: ID },
  run: ({ id }, context) => setActive(context, id, false),
})

const resume = command({
  name: 'webhooks resume',
  summary: 'Resume a paused subscription, starting with the next event',
  args: { id: ID },
  run: ({ id }, context) => setActive(context, id, true),
})

const WHOLE_HOURS = `Must be a whole number from 0 to ${MAX_OVERLAP_HOURS}.`

const OverlapHours = z._default(
  z.pipe(
    z
      .string()
      .check(z.refine(text => /^\d{1,3}$/.test(text) && Number(text) <= MAX_OVERLAP_HOURS, WHOLE_HOURS)),
    z.transform(Number),
  ),
  DEFAULT_OVERLAP_HOURS,
)

const rotate = command({
  name: 'webhooks rotate-secret',
  summary: 'Replace the secret of a subscription and show the new one once; both sign during an overlap',
  details: `  Give the receiver the new secret during the overlap. With --overlap-hours 0, for a leaked secret, the old one
  stops immediately.`,
  args: { id: ID },
  options: {
    'overlap-hours': value(
      'HOURS',
      `for how many hours the old secret signs as well, 0 to ${MAX_OVERLAP_HOURS} (default: ${DEFAULT_OVERLAP_HOURS})`,
      OverlapHours,
    ),
  },
  run: async ({ id, 'overlap-hours': hours }, context) => {
    const name = await findSubscription(context.target.table, id)
    const environment = { PRIVATE_KEY: await context.target.privateKey() }
    const rotation = rotateSecret(unitOfWorkOf(context), environment, name, hours)
    const { webhook, answer } = await rotation.catch(unlessMissing(id))
    const { secret, secret_rotation } = answer.data
    const until = secret_rotation
      ? `signs as well until ${secret_rotation.ends_at}`
      : 'signs nothing any more'
    return {
      lines: [
        `Rotated the secret of subscription ${id}, ${webhook.name} (${webhook.url}). The old one ${until}.`,
        'The new secret, shown only once:',
        secret,
      ],
      json: { id, secret, secret_rotation },
    }
  },
})

const remove = command({
  name: 'webhooks delete',
  summary: 'Delete a subscription permanently',
  args: { id: ID },
  run: async ({ id }, context) => {
    const name = await findSubscription(context.target.table, id)
    await removeWebhook(unitOfWorkOf(context), name).catch(unlessMissing(id))
    return { lines: [`Deleted subscription ${id} of user ${name.ownerId}.`], json: { id, deleted: true } }
  },
})

export const WEBHOOK_COMMANDS = [list, pause, resume, rotate, remove]
