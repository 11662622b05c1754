// Rotates the key of a secret: another one becomes the current key, and the old one only opens from then on.
import {
  formatSlots,
  type KeySlots,
  nextVersion,
  rotated,
  slotsIn,
} from '../../../shared/aws/secret-value.ts'
import { isoTime } from '../../../shared/http/time.ts'
import type { SecretName } from '../../../shared/runtime/secret-names.ts'
import type { Context } from '../command.ts'
import { OperatorError } from '../operator-error.ts'
import { countSealedBefore, type Resealed, resealAll } from './reseal.ts'

const HOUR_SECONDS = 3_600

/** Point-in-time recovery brings back 35 days, whose content the old key must open. */
const KEPT_SECONDS = 36 * 24 * HOUR_SECONDS
/** Functions read their secrets again every ten minutes. Kept answers are opened for a day. */
const SHORTEST_SECONDS: Record<SecretName, number> = {
  ClientKey: HOUR_SECONDS / 4,
  LinkKey: HOUR_SECONDS / 4,
  WebhookKey: 25 * HOUR_SECONDS,
}

export type Rotation = {
  keyId: number
  /** False if an earlier call had created the key. */
  isNew: boolean
  resealed: Resealed
  /** When the previous key may be removed, in epoch seconds. */
  removableAt: number
}

/** Creates a key, unless the previous one is still there: then it continues with what is left to do. */
export async function rotateKey(context: Context, name: SecretName): Promise<Rotation> {
  const before = await readSlots(context, name)
  const isNew = before.slots.previous === undefined
  if (isNew) {
    // Of two commands at the same time one writes, and both go on with what it wrote.
    await write(context, name, before.version, rotated(before.slots, context.nowSeconds))
  }
  const { slots, value } = await readSlots(context, name)
  const resealed = name === 'WebhookKey' ? await resealAll(context, value) : NOTHING_SEALED
  return { keyId: slots.current.id, isNew, resealed, removableAt: createdAt(slots) + KEPT_SECONDS }
}

/** Most keys only sign what expires, or is compared with what the key gives again. */
const NOTHING_SEALED: Resealed = { subscriptions: 0, resealed: 0, unreadable: [] }

/** Removes the previous key. Returns its id, or undefined if there is none. `early`: before its time. */
export async function removePreviousKey(
  context: Context,
  name: SecretName,
  early: boolean,
): Promise<number | undefined> {
  const { slots, value, version } = await readSlots(context, name)
  const { current, previous, rotatedAt } = slots
  if (!previous) return undefined
  const removableAt = createdAt(slots) + (early ? SHORTEST_SECONDS[name] : KEPT_SECONDS)
  if (context.nowSeconds < removableAt) throw tooEarly(name, previous.id, removableAt, early)
  const sealed = name === 'WebhookKey' ? await countSealedBefore(context, value) : 0
  if (sealed > 0) {
    throw new OperatorError(
      `Key ${previous.id} of ${name} still seals the secrets of ${sealed} subscriptions. Run rotate-key ${name} first.`,
    )
  }
  if (!(await write(context, name, version, { current, rotatedAt }))) {
    throw new OperatorError(`Another command changes ${name} at the same time. Try again.`)
  }
  return previous.id
}

function tooEarly(name: SecretName, id: number, removableAt: number, early: boolean): OperatorError {
  const reason = early
    ? 'Functions may still use it'
    : 'Cursors, links in mails and restored backups may still need it (--early removes it sooner)'
  const from = isoTime(removableAt)
  return new OperatorError(
    `Key ${id} of ${name} was not removed: it may be removed from ${from} on. ${reason}.`,
  )
}

function createdAt({ rotatedAt = 0 }: KeySlots): number {
  return rotatedAt
}

async function readSlots({ target }: Context, name: SecretName) {
  const { value, version } = await target.secret(name).read()
  return { value, version, slots: slotsIn(value) }
}

/** Returns false if the secret is no longer the version that was read. */
function write({ target }: Context, name: SecretName, version: string, slots: KeySlots): Promise<boolean> {
  return target.secret(name).write({ value: formatSlots(slots), version: nextVersion(version) })
}
