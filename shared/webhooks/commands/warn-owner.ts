// Warns the owner of a subscription by mail, at most once a day, when its last 20 attempts have all failed.
import { findUser } from '../../accounts/store/users.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { type Composer, fillTemplate, orderMail } from '../../mail/mail.ts'
import { currentSettings } from '../../site/store.ts'
import { type Action, ignoreConditionFailed } from '../../table/action.ts'
import { webhookKey } from '../../table/design.ts'
import type { DeliveryOutcome } from '../delivery.ts'
import type { WebhookRecord } from '../webhook.ts'

/** So many failures in a row. */
const FAILURES = 20
const DAY_MS = 24 * 60 * 60 * 1000

/** Call this after a delivery, with the subscription as it was read before. */
export async function warnIfFailing(
  { work, nowMs }: { work?: UnitOfWork | undefined; nowMs: number },
  { id, owner_id, name, failing, warned_ms }: WebhookRecord,
  { error_detail: problem }: Pick<DeliveryOutcome, 'error_detail'>,
): Promise<void> {
  if (!work || problem === null) return
  if (failing + 1 < FAILURES || warned_ms > nowMs - DAY_MS) return
  if ((await currentSettings(work.table, nowMs))['webhooks.warn_owner'] === false) return
  const mail = orderMail({ kind: 'webhook-failing', owner_id, webhook_id: id, name, problem }, nowMs)
  // In the transaction of the mail, so that no other function orders a second one.
  const mark: Action = {
    Update: {
      Key: webhookKey(owner_id, id),
      UpdateExpression: 'SET warned_ms = :now',
      ConditionExpression:
        'attribute_exists(pk) AND (attribute_not_exists(warned_ms) OR warned_ms <= :before)',
      ExpressionAttributeValues: { ':now': nowMs, ':before': nowMs - DAY_MS },
    },
  }
  await work.commit({ actions: [mark], messages: [mail] }).catch(ignoreConditionFailed)
}

export const webhookFailingMail: Composer<'webhook-failing'> = async (
  { owner_id, webhook_id, name, problem },
  { table, siteName },
) => {
  const owner = await findUser(table, owner_id)
  if (!owner) return undefined
  return fillTemplate({
    to: owner.email,
    subject: `Deliveries to your webhook ${webhook_id} fail`,
    siteName,
    blocks: [
      `The last 20 deliveries to your webhook subscription ${webhook_id} ("${name}") failed. The last error: ${problem}`,
      `Look them up with GET /api/v1/admin/webhooks/${webhook_id}/deliveries?status=failed, or on the owner's command line with npm run operator -- webhooks deliveries ${webhook_id} --failed`,
      'The subscription stays active, and events are still sent to it. Once the receiver works, failed deliveries can be sent again.',
    ],
  })
}
