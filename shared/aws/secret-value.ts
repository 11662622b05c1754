// The value of a secret: a single key, or a current and a previous one as JSON. The current key seals, both
// open. Seals name their key; those of the first key name none.
import { hash, randomBytes } from 'node:crypto'
import * as z from 'zod/mini'

const SecretKey = z.object({ id: z.int(), key: z.string().check(z.minLength(1)) })
export type SecretKey = z.infer<typeof SecretKey>

/** `rotatedAt`: when the current key was created, in epoch seconds. */
const KeySlots = z.object({
  current: SecretKey,
  previous: z.optional(SecretKey),
  rotatedAt: z._default(z.int(), 0),
})
export type KeySlots = z.infer<typeof KeySlots>

export const FIRST_KEY_ID = 1
const KEY_BYTES = 48

/** Throws if the value is damaged. */
export function slotsIn(value: string): KeySlots {
  if (!value.startsWith('{')) return { current: { id: FIRST_KEY_ID, key: value }, rotatedAt: 0 }
  const slots = KeySlots.safeParse(JSON.parse(value))
  if (slots.success) return slots.data
  throw new Error('The value of a secret is damaged. Restore its last version in Secrets Manager.')
}

/** The slots with another current key. The old one opens what it has sealed. */
export function rotated({ current }: KeySlots, nowSeconds: number): KeySlots {
  const key = randomBytes(KEY_BYTES).toString('base64url')
  return { current: { id: current.id + 1, key }, previous: current, rotatedAt: nowSeconds }
}

export function currentKey(value: string): SecretKey {
  return slotsIn(value).current
}

export function findKey(value: string, id: number): string | undefined {
  const { current, previous } = slotsIn(value)
  return [current, previous].find(slot => slot?.id === id)?.key
}

/** Functions read their secrets every ten minutes, so by then each of them has read a new key. */
const SETTLED_AFTER_SECONDS = 3_600

/** When the current key begins to seal, in epoch seconds. */
export function sealsFrom({ rotatedAt }: KeySlots): number {
  return rotatedAt + SETTLED_AFTER_SECONDS
}

/** The value as it is used: until every function has a new key, the previous one seals, and both open. */
export function settledValue(value: string, nowSeconds: number): string {
  const slots = slotsIn(value)
  const { current, previous, rotatedAt } = slots
  if (!previous || nowSeconds >= sealsFrom(slots)) return value
  return JSON.stringify({ current: previous, previous: current, rotatedAt } satisfies KeySlots)
}

/**
 * The id of the version that follows a version of the secret. Of two writers that read the same version,
 * Secrets Manager refuses the second.
 */
export function nextVersion(version: string): string {
  return hash('sha256', `the version after ${version}`).slice(0, 64)
}
