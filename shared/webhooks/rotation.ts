// The rotation of a secret: during its overlap a subscription has two secrets, in one stored text. No I/O.
import { ApiError } from '../http/errors.ts'
import { isoTime } from '../http/time.ts'
import type { WebhookRecord } from './webhook.ts'

const HOUR_SECONDS = 3_600

/** An old secret is erased so long after its end: until then, functions with a slower clock may need it. */
const ERASED_AFTER_SECONDS = 60

/** Secrets, sealed or opened. The previous one signs as well until `endsAt`, in epoch seconds. */
export type Secrets = { current: string; previous?: { secret: string; endsAt: number } | undefined }

/** A stored text is one sealed secret or, during an overlap, `<current> <previous> <end>`. */
function parseSecrets(text: string): Secrets {
  const [current = '', secret, end] = text.split(' ')
  return { current, previous: secret === undefined ? undefined : { secret, endsAt: Number(end) } }
}

function formatSecrets({ current, previous }: Secrets): string {
  return previous ? `${current} ${previous.secret} ${previous.endsAt}` : current
}

/** Drops the previous secret from the end of the overlap on. */
export function secretsAt({ current, previous }: Secrets, nowSeconds: number): Secrets {
  return { current, previous: previous && nowSeconds < previous.endsAt ? previous : undefined }
}

export function sealedSecretsOf({ sealed_secret }: Pick<WebhookRecord, 'sealed_secret'>): Secrets {
  return parseSecrets(sealed_secret)
}

/** The record with the same secrets, sealed again. */
export function withSealedSecrets(webhook: WebhookRecord, secrets: Secrets): WebhookRecord {
  return { ...webhook, sealed_secret: formatSecrets(secrets) }
}

/** When the overlap ends, in epoch seconds. Undefined if the subscription has one secret. */
export function rotationEnd(webhook: WebhookRecord, nowSeconds: number): number | undefined {
  return secretsAt(sealedSecretsOf(webhook), nowSeconds).previous?.endsAt
}

/** Old secrets whose overlap ended until then are to be erased. */
export function erasableUntil(nowSeconds: number): number {
  return nowSeconds - ERASED_AFTER_SECONDS
}

/** Returns the same record if it has no old secret to erase. */
export function withoutEndedSecret(webhook: WebhookRecord, nowSeconds: number): WebhookRecord {
  const sealed_secret = formatSecrets(secretsAt(sealedSecretsOf(webhook), erasableUntil(nowSeconds)))
  return sealed_secret === webhook.sealed_secret ? webhook : { ...webhook, sealed_secret }
}

type NewSecret = { sealedSecret: string; overlapHours: number; nowSeconds: number }

/**
 * Without an overlap, the new secret replaces all others immediately. Throws CONFLICT for an overlap during
 * that of another rotation, since three secrets would sign.
 */
export function rotatedWebhook(
  webhook: WebhookRecord,
  { sealedSecret, overlapHours, nowSeconds }: NewSecret,
): WebhookRecord {
  const { current, previous } = secretsAt(sealedSecretsOf(webhook), nowSeconds)
  if (previous && overlapHours > 0) throw inRotation(previous.endsAt)
  const endsAt = nowSeconds + overlapHours * HOUR_SECONDS
  const secrets = { current: sealedSecret, previous: { secret: current, endsAt } }
  return { ...webhook, sealed_secret: formatSecrets(secretsAt(secrets, nowSeconds)) }
}

function inRotation(endsAt: number): ApiError {
  return new ApiError(
    'CONFLICT',
    `The secret is being rotated until ${isoTime(endsAt)}. Rotate it again after that, or, if a secret has leaked, ` +
      'now with overlap_hours 0, which replaces both secrets.',
  )
}
