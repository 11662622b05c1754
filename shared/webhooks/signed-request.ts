// The request of a delivery: its headers, and the signatures by which a receiver verifies it. No I/O.
import { createHmac } from 'node:crypto'
import type { Environment } from '../runtime/environment.ts'
import { type AddressPolicy, addressPolicy } from './address.ts'
import { openHeaders, SECRET_PREFIX, type Secrets, secretsAt } from './secret.ts'
import type { WebhookRecord } from './webhook.ts'

/** Promised in the API's document (openapi/webhooks.ts). */
const TIMEOUT_MS = 5_000

export type WebhookRequest = {
  url: string
  /** Those of the transport are added (`transportHeaders`). */
  headers: Record<string, string>
  body: string
  policy: AddressPolicy
  /** The deadline of name lookup, connection, TLS, headers and body together. */
  timeoutMs: number
}

type DeliveryIds = { event_id: string; webhook_id: number }

/** Receivers detect duplicates by this id. It has no dot, which separates the parts of a signed text. */
export function deliveryId({ event_id, webhook_id }: DeliveryIds): string {
  return `${event_id}-${webhook_id}`
}

export function signedRequest(
  { environment, nowMs }: { environment: Environment; nowMs: number },
  webhook: WebhookRecord,
  { body, request_id }: { body: string; request_id: string },
  ref: DeliveryIds & { attempt: number },
): WebhookRequest {
  const timestampSeconds = Math.floor(nowMs / 1000)
  // By the clock of the timestamp, so that a rotation ends at its second in every function.
  const secrets = secretsAt(environment, webhook, timestampSeconds)
  return {
    url: webhook.url,
    headers: {
      ...contentHeaders({ ...ref, request_id, sender: environment.SERVICE_VERSION, attempted_ms: nowMs }),
      ...openHeaders(environment, webhook),
      ...signatureHeaders({ secrets, body, deliveryId: deliveryId(ref), timestampSeconds }),
    },
    body,
    policy: addressPolicy(environment),
    timeoutMs: TIMEOUT_MS,
  }
}

/** `sender`: the version of the service. */
type SentAttempt = DeliveryIds & { attempt: number; request_id: string; sender: string; attempted_ms: number }

/** All headers but the signatures and those of the transport: sent, and shown again by the log. */
export function contentHeaders(sent: SentAttempt) {
  return {
    'Content-Type': 'application/json',
    'User-Agent': `headless-content-service/${sent.sender}`,
    'X-Request-Id': sent.request_id,
    'webhook-id': deliveryId(sent),
    'webhook-timestamp': String(Math.floor(sent.attempted_ms / 1000)),
    ...(sent.attempt > 1 && { 'webhook-attempt': String(sent.attempt) }),
  }
}

export function transportHeaders(url: URL, body: string) {
  return {
    Host: url.host,
    Connection: 'close',
    'Accept-Encoding': 'identity',
    'Content-Length': String(Buffer.byteLength(body)),
  }
}

type SignedParts = {
  secrets: Secrets
  /** Exactly the bytes that are sent. */
  body: string
  /** Without a dot, which separates the parts of the signed text. */
  deliveryId: string
  /** Time of the attempt. */
  timestampSeconds: number
}

/**
 * `Signature` signs the body with the oldest secret as shown. `webhook-signature` (Standard Webhooks) signs
 * `id.timestamp.body` with the decoded bytes of each, so that a receiver can reject a replayed delivery.
 */
export function signatureHeaders({ secrets, body, deliveryId, timestampSeconds }: SignedParts) {
  const standardSignature = (secret: string): string => {
    const decoded = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    const hmac = createHmac('sha256', decoded).update(`${deliveryId}.${timestampSeconds}.`).update(body)
    return `v1,${hmac.digest('base64')}`
  }
  const [newest, oldest = newest] = secrets
  return {
    Signature: createHmac('sha256', oldest).update(body).digest('hex'),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map(standardSignature).join(' '),
  }
}
