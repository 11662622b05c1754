// Users and their webhooks.
import { creationActions } from '../../../shared/accounts/commands/users.ts'
import { listEntriesOf, listsOfUsers, USERS, User } from '../../../shared/accounts/user.ts'
import { isoTime } from '../../../shared/http/time.ts'
import { nameIn, sortable, userKey, webhookKey, webhooksOwnedKey } from '../../../shared/table/design.ts'
import { putFanOutEntry, removeWebhook } from '../../../shared/webhooks/commands/webhooks.ts'
import { listFanOutEntries } from '../../../shared/webhooks/store/webhooks.ts'
import { WebhookRecord } from '../../../shared/webhooks/webhook.ts'
import { type Count, lengthOf } from '../count.ts'
import { byListedId, byMember, byPartition, putBy, recordType } from '../record-type.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'

export const users = recordType({
  name: 'user',
  kind: 'USER',
  sk: 'USER',
  schema: User,
  versionAttributes: ['revision'],
  listEntriesOf,
  lists: listsOfUsers(),
  entryOwner: byListedId(userKey),
  // Only the command can finish it, because it knows its options.
  problemOf: ({ email, erasing_since: since }) =>
    since === undefined
      ? undefined
      : `its erasure began at ${isoTime(since)} and has not ended. Unless it still runs, finish it: user erase ${email} --yes`,
  // Only those who write posts know how many of an author are public.
  dependentsOf: user =>
    putBy(creationActions(user, null)).map(({ item: { public_posts: _, ...item } }) => ({ item })),
  dependents: {
    AUTHOR: { name: 'public profile', owner: byMember('id', userKey), compared: ['id', 'name', 'avatar'] },
    EMAIL: { name: 'address lock', owner: byMember('user_id', userKey) },
    PASSWORD: { name: 'password', owner: byPartition(userKey), isOptional: () => true },
    USER: { name: 'token', owner: byPartition(userKey), isOptional: () => true },
    PENDING: { name: 'record of pending comments', owner: byPartition(userKey), isOptional: () => true },
    WEBHOOK: {
      name: 'row of webhooks',
      owner: byPartition(userKey),
      isOptional: () => true,
      remove: async (context, { pk, sk }) => {
        const ownerId = Number(nameIn(pk))
        const isCount = sk === webhooksOwnedKey(ownerId).sk
        if (isCount) return await context.target.table.removeMany([{ pk, sk }])
        await removeWebhook(unitOfWorkOf(context), { ownerId, id: Number(sk) })
      },
    },
  },
  counts: { users: lengthOf(USERS) },
})

const webhooksByState: Count = async ({ target }) => {
  const all = await listFanOutEntries(target.table)
  const active = all.filter(({ is_active }) => is_active).length
  return { active, paused: all.length - active, total: all.length }
}

export const webhooks = recordType({
  name: 'webhook',
  kind: 'WEBHOOK',
  isOne: ({ sk, id }) => typeof id === 'number' && sk === sortable(id),
  labelOf: ({ sk }) => `webhook ${Number(sk)}`,
  schema: WebhookRecord,
  versionAttributes: ['revision'],
  dependentsOf: webhook => putBy([putFanOutEntry(webhook)]),
  dependents: {
    SUBSCRIBERS: {
      name: 'row for fan-out',
      owner: ({ owner_id, id }) => webhookKey(Number(owner_id), Number(id)),
    },
  },
  counts: { webhooks: webhooksByState },
})
