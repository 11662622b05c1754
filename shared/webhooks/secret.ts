// The secrets of a subscription and its headers: sealed for the table, opened to send, and rotated. A stored
// text is one sealed secret or, during a rotation, `<current> <previous> <end>`. No I/O.
import { currentKey } from '../aws/secret-value.ts'
import { ApiError } from '../http/errors.ts'
import { isoTime } from '../http/time.ts'
import { type Environment, required } from '../runtime/environment.ts'
import { keyIdOf, type Lock, openText, sealText } from '../table/sealed.ts'
import type { OwnHeaders } from './own-request.ts'

export const SECRET_PREFIX = 'whsec_'

const SECRET_BYTES = 32
const HOUR_SECONDS = 3_600

/** What sealing and opening a secret needs of a function's environment. */
export type SealingEnvironment = Pick<Environment, 'PRIVATE_KEY'>

/** The members of a subscription that are sealed: a stored secret, and the headers with the names of them. */
type SealedMembers = {
  id: number
  sealed_secret: string
  headers?: string[] | undefined
  sealed_headers?: string | undefined
}

/** Sealed or opened. The previous one signs as well until `endsAt`, in epoch seconds. */
export type Secrets = { current: string; previous?: { secret: string; endsAt: number } | undefined }

/** Returns `whsec_` and the base64 of 32 bytes, the format of Standard Webhooks. */
export function newSecret(randomBytes: (size: number) => Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')
}

type What = 'secret' | 'headers'

/** The id is authenticated as well, so that a sealed text cannot be copied to another subscription. */
export function sealSecret(
  environment: SealingEnvironment,
  id: number,
  secret: string,
  what: What = 'secret',
): string {
  return sealText(secret, lockOf(environment, id, what))
}

function lockOf(environment: SealingEnvironment, id: number, what: What): Lock {
  return {
    secret: required(environment, 'PRIVATE_KEY'),
    use: `webhook ${what} at rest`,
    place: `webhook ${id}`,
  }
}

/** Throws if one cannot be decrypted. */
export function openSecrets(
  environment: SealingEnvironment,
  { id, sealed_secret }: Pick<SealedMembers, 'id' | 'sealed_secret'>,
): Secrets {
  const { current, previous } = parseSecrets(sealed_secret)
  return {
    current: unseal(environment, id, current),
    previous: previous && { ...previous, secret: unseal(environment, id, previous.secret) },
  }
}

/** What a change of the headers writes: their names, and all of them sealed. Nothing if they stay. */
export function sealHeaders(
  environment: SealingEnvironment,
  id: number,
  headers: OwnHeaders | undefined,
): Pick<SealedMembers, 'headers' | 'sealed_headers'> {
  if (!headers) return {}
  const names = Object.keys(headers)
  if (names.length === 0) return { headers: undefined, sealed_headers: undefined }
  return { headers: names, sealed_headers: sealSecret(environment, id, JSON.stringify(headers), 'headers') }
}

export function openHeaders(
  environment: SealingEnvironment,
  { id, sealed_headers }: Pick<SealedMembers, 'id' | 'sealed_headers'>,
): OwnHeaders {
  if (sealed_headers === undefined) return {}
  return JSON.parse(unseal(environment, id, sealed_headers, 'headers'))
}

function unseal(environment: SealingEnvironment, id: number, sealed: string, what: What = 'secret'): string {
  const opened = openText(sealed, lockOf(environment, id, what))
  if (typeof opened === 'string') return opened
  throw new Error(
    `The ${what} of webhook ${id} cannot be decrypted: key ${keyIdOf(sealed)}, with which it was sealed, is not ` +
      'configured, or the stored text was changed. Restore that key.',
  )
}

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

/** When the overlap ends, in epoch seconds. Undefined if the subscription has one secret. */
export function rotationEnd({ sealed_secret }: SealedMembers, nowSeconds: number): number | undefined {
  return secretsAt(parseSecrets(sealed_secret), nowSeconds).previous?.endsAt
}

/** An old secret is erased so long after its end: until then, functions with a slower clock may need it. */
const ERASED_AFTER_SECONDS = 60

/** Returns the same record if it has no old secret to erase. */
export function withoutEndedSecret<Webhook extends SealedMembers>(
  webhook: Webhook,
  nowSeconds: number,
): Webhook {
  const kept = secretsAt(parseSecrets(webhook.sealed_secret), nowSeconds - ERASED_AFTER_SECONDS)
  const sealed_secret = formatSecrets(kept)
  return sealed_secret === webhook.sealed_secret ? webhook : { ...webhook, sealed_secret }
}

type NewSecret = { sealedSecret: string; overlapHours: number; nowSeconds: number }

/**
 * Without an overlap, the new secret replaces all others immediately. Throws CONFLICT for an overlap during
 * that of another rotation, since three secrets would sign.
 */
export function rotatedWebhook<Webhook extends SealedMembers>(
  webhook: Webhook,
  { sealedSecret, overlapHours, nowSeconds }: NewSecret,
): Webhook {
  const { current, previous } = secretsAt(parseSecrets(webhook.sealed_secret), nowSeconds)
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

/** The numbers of the keys with which secrets and headers are sealed. */
export function keyNumbersIn({ sealed_secret, sealed_headers }: Omit<SealedMembers, 'id'>): number[] {
  const { current, previous } = parseSecrets(sealed_secret)
  const sealed = [current, previous?.secret, sealed_headers]
  return sealed.flatMap(text => (text === undefined ? [] : keyIdOf(text)))
}

/** Whether a secret of the subscription, or its headers, are sealed with another key than the current one. */
export function isSealedBefore(environment: SealingEnvironment, webhook: SealedMembers): boolean {
  const { id } = currentKey(required(environment, 'PRIVATE_KEY'))
  return keyNumbersIn(webhook).some(number => number !== id)
}

/** The same secrets and headers, sealed with the current key. Throws if one has an unknown key. */
export function resealedWebhook<Webhook extends SealedMembers>(
  environment: SealingEnvironment,
  webhook: Webhook,
): Webhook {
  const { current, previous } = openSecrets(environment, webhook)
  const seal = (secret: string) => sealSecret(environment, webhook.id, secret)
  const resealed = {
    current: seal(current),
    previous: previous && { ...previous, secret: seal(previous.secret) },
  }
  const headers = webhook.headers && sealHeaders(environment, webhook.id, openHeaders(environment, webhook))
  return { ...webhook, ...headers, sealed_secret: formatSecrets(resealed) }
}
