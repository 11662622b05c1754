// The request of a delivery: its body, which is the same for all subscriptions, and its signatures.
import type { EventMessage } from '../../events/message.ts'
import type { Environment } from '../../runtime/environment.ts'
import type { Table } from '../../table/client.ts'
import { addressPolicy } from '../address.ts'
import { type Secrets, secretsAt } from '../rotation.ts'
import { openSecrets } from '../secret.ts'
import { signatureHeaders } from '../signature.ts'
import type { WebhookRecord } from '../webhook.ts'
import type { WebhookRequest } from './request.ts'

/** Promised in the API's document (openapi/webhooks.ts). */
const TIMEOUT_MS = 5_000

export type SendContext = { table: Table; environment: Environment; nowMs: number }

/** Events by their message, which several deliveries share. */
const bodies = new WeakMap<EventMessage, Uint8Array>()

/** Returns the same bytes for each delivery, so that the signed bytes are the sent bytes. */
function bodyOf(message: EventMessage): Uint8Array {
  const { event, occurred_at, data } = message
  const body = bodies.get(message) ?? Buffer.from(JSON.stringify({ event, occurred_at, data }))
  bodies.set(message, body)
  return body
}

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
  event: EventMessage,
  deliveryId: string,
): WebhookRequest {
  const body = bodyOf(event)
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
  return {
    url: webhook.url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': `headless-content-service/${environment.SERVICE_VERSION}`,
      'X-Request-Id': event.request_id,
      ...signature,
    },
    body,
    policy: addressPolicy(environment),
    timeoutMs: TIMEOUT_MS,
  }
}
