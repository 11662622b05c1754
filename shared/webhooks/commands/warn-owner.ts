// Warns the owner of a subscription by mail when its last 20 attempts have all failed.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { orderMail } from '../../mail/mail.ts'
import { currentSettings } from '../../site/store/settings.ts'
import type { Action } from '../../table/action.ts'
import { ignoreConditionFailed } from '../../table/conditions.ts'
import { webhookCounterKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
import { listRecent, RECENT } from '../store/log.ts'
import type { WebhookRecord } from '../webhook.ts'

/** At most one mail for a subscription in this time. */
const DAY_MS = 24 * 60 * 60 * 1000
const MAX_REMEMBERED = 10_000

type Failure = { work: UnitOfWork; webhook: WebhookRecord; problem: string }

/** Until when no check is needed, by subscription. */
const warnedOf = perTable(() => new Map<number, number>())

/** Call this after a failed delivery. It reads nothing for a day after a warning. */
export async function warnIfFailing(failure: Failure): Promise<void> {
  const { webhook, work } = failure
  const warned = warnedOf(work.table)
  if ((warned.get(webhook.id) ?? 0) > work.nowMs || !(await isFailing(failure))) return
  await orderWarning(failure)
  if (warned.size >= MAX_REMEMBERED) warned.clear()
  warned.set(webhook.id, work.nowMs + DAY_MS)
}

async function isFailing({ webhook, work: { table, nowMs } }: Failure): Promise<boolean> {
  const recent = await listRecent(table, webhook.id, nowMs)
  if (recent.length < RECENT || recent.some(({ status }) => status === 'succeeded')) return false
  return (await currentSettings(table, nowMs))['webhooks.warn_owner'] !== false
}

/** Mail and mark in one transaction, so that no other function orders a second one. */
async function orderWarning({ webhook, problem, work }: Failure): Promise<void> {
  const { id, owner_id, name } = webhook
  const mail = orderMail({ kind: 'webhook-failing', owner_id, webhook_id: id, name, problem }, work.nowMs)
  const mark: Action = {
    Update: {
      Key: webhookCounterKey(owner_id, id, 0),
      UpdateExpression: 'SET warned_ms = :now',
      ConditionExpression:
        'attribute_exists(pk) AND (attribute_not_exists(warned_ms) OR warned_ms <= :before)',
      ExpressionAttributeValues: { ':now': work.nowMs, ':before': work.nowMs - DAY_MS },
    },
  }
  await work.commit({ actions: [mark], messages: [mail] }).catch(ignoreConditionFailed)
}
