// The command that rotates a key of the service: infra/keys.md.
import * as z from 'zod/mini'
import { type KeySlots, nextVersion, rotated, sealsFrom, slotsIn } from '../../../shared/aws/secret-value.ts'
import { isoTime } from '../../../shared/http/time.ts'
import { SECRET_NAMES, type SecretName } from '../../../shared/runtime/parameters.ts'
import { type Context, command, flag, OperatorError, type Result, value } from '../command.ts'
import { sealedBefore } from '../doctor/check-waiting.ts'

const NameArgument = z.enum(SECRET_NAMES, `Must be one of ${SECRET_NAMES.join(', ')}.`)

const HOUR_SECONDS = 3_600
/** Point-in-time recovery brings back 35 days, whose content the previous key must open. */
const KEPT_SECONDS = 36 * 24 * HOUR_SECONDS
/**
 * The key seals for an hour after its replacement, and in functions that have just read it for ten more
 * minutes. Kept answers are opened for a day.
 */
const SHORTEST_SECONDS = 26 * HOUR_SECONDS

export const rotateKey = command({
  name: 'rotate-key',
  summary: 'Replace a key of the service; the old one opens what it sealed until --finish removes it',
  details: `  NAME is ${SECRET_NAMES.join(' or ')}. The new key seals after an hour, when all functions have it. Then doctor --repair
  seals again what is stored under the previous key.
  --finish removes it 36 days later, when neither a cursor nor a restored backup needs it; after a leak, --finish
  --early removes it after 26 hours.`,
  args: { name: value('NAME', 'which key', NameArgument) },
  options: {
    finish: flag('remove the previous key'),
    early: flag('with --finish: before its time'),
  },
  problemOf: ({ finish, early }) => (early && !finish ? '--early: Pass --finish as well.' : undefined),
  run: async ({ name, finish, early }, context) =>
    finish ? await removePrevious(context, name, early) : await createKey(context, name),
})

/** Creates a key, unless the previous one is still there. */
async function createKey(context: Context, name: SecretName): Promise<Result> {
  const before = await readSlots(context, name)
  const isNew = before.slots.previous === undefined
  // If two commands run at the same time, one writes, and both go on with what it wrote.
  if (isNew) await write(context, name, before.version, rotated(before.slots, context.nowSeconds))
  const { slots } = await readSlots(context, name)
  const removableFrom = isoTime(slots.rotatedAt + KEPT_SECONDS)
  const from = isoTime(sealsFrom(slots))
  return {
    lines: [
      isNew
        ? `Created key ${slots.current.id} of ${name}. It seals from ${from} on. The previous key still opens what it sealed.`
        : `${name} has a previous key. Remove it with --finish before you create another one.`,
      ...(name === 'PrivateKey' ? [`To seal webhook secrets again, after ${from}: doctor --repair`] : []),
      `--finish removes the previous key from ${removableFrom} on.`,
    ],
    json: { name, key_id: slots.current.id, is_new: isNew, removable_from: removableFrom },
  }
}

async function removePrevious(context: Context, name: SecretName, early: boolean): Promise<Result> {
  const { slots, version } = await readSlots(context, name)
  const { current, previous, rotatedAt } = slots
  if (!previous) return { lines: [`${name} has no previous key.`], json: { name, removed: null } }
  const removableAt = rotatedAt + (early ? SHORTEST_SECONDS : KEPT_SECONDS)
  if (context.nowSeconds < removableAt) {
    throw new OperatorError(
      `Key ${previous.id} of ${name} was not removed: it may be in use until ${isoTime(removableAt)}. See infra/keys.md.`,
    )
  }
  const sealed = name === 'PrivateKey' ? await sealedBefore(context) : []
  if (sealed.length > 0) {
    throw new OperatorError(
      `Key ${previous.id} of ${name} still seals the secrets of ${sealed.length} subscriptions. Run doctor --repair first.`,
    )
  }
  if (!(await write(context, name, version, { current, rotatedAt }))) {
    throw new OperatorError(`Another command changes ${name} at the same time. Try again.`)
  }
  return { lines: [`Removed key ${previous.id} of ${name}.`], json: { name, removed: previous.id } }
}

async function readSlots({ target }: Context, name: SecretName) {
  const { value, version } = await target.secret(name).read()
  return { version, slots: slotsIn(value) }
}

/** Returns false if the secret is no longer the version that was read. */
function write({ target }: Context, name: SecretName, version: string, slots: KeySlots): Promise<boolean> {
  return target.secret(name).write({ value: JSON.stringify(slots), version: nextVersion(version) })
}
