// Rotates the secret of a subscription: the new one is shown, and the old one signs until the overlap ends.
import { randomBytes } from 'node:crypto'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { type Reply, reply } from '../../http/reply.ts'
import type { Action } from '../../table/action.ts'
import { rotationKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { WebhookDetail } from '../fields.ts'
import { rotatedWebhook, rotationEnd } from '../rotation.ts'
import { newSecret, type SealingEnvironment, sealSecret } from '../secret.ts'
import { getWebhook, type WebhookRef } from '../store/webhooks.ts'
import { webhookDetail } from '../view.ts'
import type { WebhookRecord } from '../webhook.ts'
import { putSecret } from './erase-secrets.ts'
import { waitForSignedEarlier } from './signed-earlier.ts'
import { raiseVersion } from './version.ts'

type RotatedSecret = WebhookDetail & { secret: string }

/**
 * Only this reply shows the new secret. It may take seven seconds: a receiver can use it at once.
 * Throws NOT_FOUND, or CONFLICT for an overlap during that of another rotation.
 */
export async function rotateSecret(
  work: UnitOfWork,
  environment: SealingEnvironment,
  ref: WebhookRef,
  overlapHours: number,
): Promise<{ webhook: WebhookRecord; answer: Reply<RotatedSecret> }> {
  const secret = newSecret(randomBytes)
  const sealedSecret = sealSecret(environment, ref.id, secret)
  const { table, nowMs, nowSeconds } = work
  const rotated = await retryOnConflict(async () => {
    const { webhook: read, counts } = await getWebhook(table, ref)
    const webhook = rotatedWebhook(read, { sealedSecret, overlapHours, nowSeconds })
    const answer = reply({ ...webhookDetail(webhook, counts, nowSeconds), secret })
    const actions = [putSecret(webhook), raiseVersion(), ...noteRotation(webhook, nowSeconds)]
    await work.commit({ actions }, answer)
    return { webhook, answer }
  })
  if (overlapHours > 0) await waitForSignedEarlier(table, ref.id, nowMs)
  return rotated
}

/** The row by which the sweep finds the old secret after the overlap. */
function noteRotation(webhook: WebhookRecord, nowSeconds: number): Action[] {
  const endsAt = rotationEnd(webhook, nowSeconds)
  if (endsAt === undefined) return []
  const { id, owner_id } = webhook
  return [{ Put: { Item: { ...rotationKey(endsAt, id), webhook_id: id, owner_id } } }]
}
