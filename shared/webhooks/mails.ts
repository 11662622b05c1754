// Composes the mail that tells an owner about a subscription to which nothing can be delivered.
import { findUser } from '../accounts/store/users.ts'
import type { Composer } from '../mail/composer.ts'
import { fillTemplate } from '../mail/template.ts'

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
