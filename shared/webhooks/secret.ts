// The secrets of a subscription and its headers: sealed for the table, opened to send, and rotated. During a
// rotation the record has two secrets, and both sign. No I/O.
import * as z from 'zod/mini'
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

/** The members of a subscription that are sealed, and the names of its headers. */
export const SEALED = {
  sealed_secret: z.string(),
  /** The secret before, which signs until this time in epoch seconds. */
  previous: z.optional(z.object({ sealed_secret: z.string(), ends_at: z.int() })),
  headers: z.optional(z.array(z.string())),
  /** With the values of `headers`. */
  sealed_headers: z.optional(z.string()),
}
type SealedMembers = { id: number } & z.infer<z.ZodMiniObject<typeof SEALED>>

/** Returns `whsec_` and the base64 of 32 bytes, the format of Standard Webhooks. */
export function newSecret(randomBytes: (size: number) => Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')
}

type What = 'secret' | 'headers'

/** The id is authenticated as well, so that a sealed text cannot be copied to another subscription. */
function lockOf(environment: SealingEnvironment, id: number, what: What): Lock {
  return {
    secret: required(environment, 'PRIVATE_KEY'),
    use: `webhook ${what} at rest`,
    place: `webhook ${id}`,
  }
}

export function sealSecret(
  environment: SealingEnvironment,
  id: number,
  secret: string,
  what: What = 'secret',
): string {
  return sealText(secret, lockOf(environment, id, what))
}

/** Throws if it cannot be decrypted. */
function unseal(environment: SealingEnvironment, id: number, sealed: string, what: What = 'secret'): string {
  const opened = openText(sealed, lockOf(environment, id, what))
  if (typeof opened === 'string') return opened
  throw new Error(
    `The ${what} of webhook ${id} cannot be decrypted: key ${keyIdOf(sealed)}, with which it was sealed, is not ` +
      'configured, or the stored text was changed. Restore that key.',
  )
}

/** The secrets that sign, the newest first. */
export type Secrets = [newest: string, ...previous: string[]]

/** Those of this second. */
export function secretsAt(
  environment: SealingEnvironment,
  webhook: SealedMembers,
  nowSeconds: number,
): Secrets {
  const { id, sealed_secret, previous } = webhook
  const newest = unseal(environment, id, sealed_secret)
  if (!previous || rotationEnd(webhook, nowSeconds) === undefined) return [newest]
  return [newest, unseal(environment, id, previous.sealed_secret)]
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
  { id, sealed_headers }: SealedMembers,
): OwnHeaders {
  if (sealed_headers === undefined) return {}
  return JSON.parse(unseal(environment, id, sealed_headers, 'headers'))
}

/** When the overlap ends, in epoch seconds. Undefined if one secret signs. */
export function rotationEnd({ previous }: SealedMembers, nowSeconds: number): number | undefined {
  return previous && nowSeconds < previous.ends_at ? previous.ends_at : undefined
}

/** An old secret is erased so long after its end: until then, functions with a slower clock may need it. */
const ERASED_AFTER_SECONDS = 60

/** Returns the same record if it has no old secret to erase. */
export function withoutEndedSecret<Webhook extends SealedMembers>(
  webhook: Webhook,
  nowSeconds: number,
): Webhook {
  const isKept = !webhook.previous || rotationEnd(webhook, nowSeconds - ERASED_AFTER_SECONDS) !== undefined
  return isKept ? webhook : { ...webhook, previous: undefined }
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
  const replaced = { ...webhook, sealed_secret: sealedSecret, previous: undefined }
  if (overlapHours === 0) return replaced
  const endsAt = rotationEnd(webhook, nowSeconds)
  if (endsAt !== undefined) {
    throw new ApiError(
      'CONFLICT',
      `The secret is being rotated until ${isoTime(endsAt)}. Rotate it again after that, or, if a secret has ` +
        'leaked, now with overlap_hours 0, which replaces both secrets.',
    )
  }
  const ends_at = nowSeconds + overlapHours * HOUR_SECONDS
  return { ...replaced, previous: { sealed_secret: webhook.sealed_secret, ends_at } }
}

/** Whether a secret of the subscription, or its headers, are sealed with another key than the current one. */
export function isSealedBefore(
  environment: SealingEnvironment,
  { sealed_secret, previous, sealed_headers }: SealedMembers,
): boolean {
  const { id } = currentKey(required(environment, 'PRIVATE_KEY'))
  const sealed = [sealed_secret, previous?.sealed_secret, sealed_headers]
  return sealed.some(text => text !== undefined && keyIdOf(text) !== id)
}

/** The same secrets and headers, sealed with the current key. Throws if one has an unknown key. */
export function resealedWebhook<Webhook extends SealedMembers>(
  environment: SealingEnvironment,
  webhook: Webhook,
): Webhook {
  const { id, sealed_secret, previous, sealed_headers } = webhook
  const reseal = (text: string, what?: What) =>
    sealSecret(environment, id, unseal(environment, id, text, what), what)
  return {
    ...webhook,
    sealed_secret: reseal(sealed_secret),
    previous: previous && { ...previous, sealed_secret: reseal(previous.sealed_secret) },
    sealed_headers: sealed_headers && reseal(sealed_headers, 'headers'),
  }
}
