// The request of a delivery: its headers and signatures.
import type { Environment } from '../../runtime/environment.ts'
import type { Table } from '../../table/client.ts'
import { addressPolicy } from '../address.ts'
import { contentHeaders } from '../headers.ts'
import { type Secrets, secretsAt } from '../rotation.ts'
import { openSecrets } from '../secret.ts'
import type { SentEvent } from '../sent-event.ts'
import { signatureHeaders } from '../signature.ts'
import type { WebhookRecord } from '../webhook.ts'
import type { WebhookRequest } from './request.ts'

/** Promised in the API's document (openapi/webhooks.ts). */
const TIMEOUT_MS = 5_000

export type SendContext = { table: Table; environment: Environment; nowMs: number }

/** The opened secrets of subscriptions in memory. */
const openedSecrets = new WeakMap<WebhookRecord, Secrets>()

function secretsOf(environment: Environment, webhook: WebhookRecord): Secrets {
  const secrets = openedSecrets.get(webhook) ?? openSecrets(environment, webhook)
  openedSecrets.set(webhook, secrets)
  return secrets
}

export function signedRequest(
  { environment, nowMs }: Pick<SendContext, 'environment' | 'nowMs'>,
  webhook: WebhookRecord,
  { body, request_id }: SentEvent,
  { deliveryId, attempt }: { deliveryId: string; attempt: number },
): WebhookRequest {
  const timestampSeconds = Math.floor(nowMs / 1000)
  // By the clock of the timestamp, so that a rotation ends at its second in every function.
  const { current, previous } = secretsAt(secretsOf(environment, webhook), timestampSeconds)
  const signature = signatureHeaders({
    secret: current,
    previousSecret: previous?.secret,
    body,
    deliveryId,
    timestampSeconds,
  })
  const sender = environment.SERVICE_VERSION
  return {
    url: webhook.url,
    headers: {
      ...contentHeaders({ sender, requestId: request_id, deliveryId, timestampSeconds, attempt }),
      ...signature,
    },
    body,
    policy: addressPolicy(environment),
    timeoutMs: TIMEOUT_MS,
  }
}
