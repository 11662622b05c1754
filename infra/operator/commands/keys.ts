// The command that rotates the keys of a stage.
import * as z from 'zod/mini'
import { isoTime } from '../../../shared/http/time.ts'
import { SECRET_NAMES, type SecretName } from '../../../shared/runtime/secret-names.ts'
import { command, flag, value } from '../command.ts'
import { removePreviousKey, rotateKey } from '../keys/rotate-key.ts'

const NameArgument = z.enum(SECRET_NAMES, `Must be one of ${SECRET_NAMES.join(', ')}.`)

/** What a new key changes for clients. */
const EFFECTS: Record<SecretName, string> = {
  ClientKey:
    'Rate limits per address begin to count again. Old cursors work, and IP addresses that logged in are known, while the previous key is kept.',
  LinkKey: 'Links in mails that were sent work while the previous key is kept.',
  WebhookKey: 'Receivers notice nothing: their secrets stay the same.',
}

const rotate = command({
  name: 'rotate-key',
  summary: 'Replace a key of the service; the old one opens what it sealed until --finish removes it',
  details: `  NAME is ${SECRET_NAMES.join(', ')}. What is stored under the key is sealed again while the service runs.
  If the command is interrupted, run it again. --finish removes the previous key 36 days later, when neither a cursor
  nor a restored backup needs it. After a leak, --finish --early removes it as soon as no function uses it: after 15
  minutes, WebhookKey after 25 hours.`,
  args: { name: value('NAME', 'which key', NameArgument) },
  options: {
    finish: flag('remove the previous key'),
    early: flag('with --finish: before its time'),
  },
  problemOf: ({ finish, early }) => (early && !finish ? '--early: Pass --finish as well.' : undefined),
  run: async ({ name, finish, early }, context) => {
    if (finish) {
      const removed = await removePreviousKey(context, name, early)
      const line =
        removed === undefined ? `${name} has no previous key.` : `Removed key ${removed} of ${name}.`
      return { lines: [line], json: { name, removed: removed ?? null } }
    }
    const { keyId, isNew, resealed, removableAt } = await rotateKey(context, name)
    const { unreadable } = resealed
    const removableFrom = isoTime(removableAt)
    return {
      lines: [
        `${isNew ? 'Created' : 'Continued with'} key ${keyId} of ${name}. ${EFFECTS[name]}`,
        ...(name === 'WebhookKey'
          ? [`Sealed the secrets of ${resealed.resealed} of ${resealed.subscriptions} subscriptions again.`]
          : []),
        ...unreadable.map(
          id =>
            `The secret of subscription ${id} was sealed with a removed key: webhooks rotate-secret ${id} --overlap-hours 0`,
        ),
        `The previous key may be removed from ${removableFrom} on: rotate-key ${name} --finish`,
      ],
      json: { name, key_id: keyId, is_new: isNew, ...resealed, removable_from: removableFrom },
      failed: unreadable.length > 0,
    }
  },
})

export const KEY_COMMANDS = [rotate]
