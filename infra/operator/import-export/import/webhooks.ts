// Imports subscriptions. An export has no secrets, so each gets a new one and is paused until that is known.
import { randomBytes } from 'node:crypto'
import { fanOutKey } from '../../../../shared/table/design.ts'
import { subscriptionActions } from '../../../../shared/webhooks/commands/webhooks.ts'
import { newSecret, sealSecret } from '../../../../shared/webhooks/secret.ts'
import { newWebhook } from '../../../../shared/webhooks/webhook.ts'
import type { WebhookItem } from '../item.ts'
import { type ImportJob, idOf } from './job.ts'
import { type Maker, Skip } from './maker.ts'

function check(job: ImportJob, { owner }: WebhookItem): void {
  if (idOf(job, owner) === undefined) throw new Skip('Its user was not imported.')
}

async function change(job: ImportJob, { owner, value }: WebhookItem, id: number) {
  const key = await job.context.target.privateKey()
  const sealedSecret = sealSecret({ PRIVATE_KEY: key }, id, newSecret(randomBytes))
  const fields = { id, ownerId: idOf(job, owner) ?? 0, sealedSecret, nowMs: job.nowMs() }
  const webhook = { ...newWebhook(value, fields), is_active: false, created_at: value.created_at }
  return { actions: subscriptionActions(webhook) }
}

export const WEBHOOKS: Maker<WebhookItem> = { counter: 'webhook', keyOf: fanOutKey, check, change }
