// Users and their webhooks, as the doctor knows them.

import { listEntriesOf, USERS, USERS_BY_EMAIL, USERS_BY_NAME } from '../../../../shared/accounts/lists.ts'
import { creation } from '../../../../shared/accounts/store/users.ts'
import { User } from '../../../../shared/accounts/user.ts'
import { nameIn, sortable, userKey, webhookKey } from '../../../../shared/table/design.ts'
import { freshCounters, putSubscriber } from '../../../../shared/webhooks/store/webhooks.ts'
import { WebhookRecord } from '../../../../shared/webhooks/webhook.ts'
import { byMember, byPartition, byShownId, putBy, slice } from '../slice.ts'

export const users = slice({
  name: 'user',
  kind: 'USER',
  sk: 'USER',
  schema: User,
  stamps: ['revision'],
  listEntriesOf,
  lists: [USERS, USERS_BY_NAME, USERS_BY_EMAIL],
  entryOwner: byShownId(userKey),
  hangingOf: user => putBy(creation(user, null)),
  hangs: {
    AUTHOR: { name: 'public profile', owner: byMember('id', userKey) },
    EMAIL: { name: 'address lock', owner: byMember('user_id', userKey) },
    PASSWORD: { name: 'password', owner: byPartition(userKey), isOptional: true },
    USER: { name: 'token', owner: byPartition(userKey), isOptional: true },
  },
})

export const webhooks = slice({
  name: 'webhook',
  kind: 'WEBHOOK',
  isOne: ({ sk, id }) => typeof id === 'number' && sk === sortable(id),
  labelOf: ({ sk }) => `webhook ${Number(sk)}`,
  schema: WebhookRecord,
  stamps: ['revision'],
  hangingOf: webhook => [
    ...putBy([putSubscriber(webhook)]),
    ...putBy(freshCounters({ ownerId: webhook.owner_id, id: webhook.id })).map(
      ({ item }) => ({ item, check: 'presence' }) as const,
    ),
  ],
  hangs: {
    SUBSCRIBERS: {
      name: 'row for fan-out',
      owner: ({ owner_id, id }) => webhookKey(Number(owner_id), Number(id)),
    },
    WEBHOOK: {
      name: 'counter',
      owner: ({ pk, webhook_id: id }) =>
        typeof id === 'number' ? webhookKey(Number(nameIn(pk)), id) : undefined,
    },
  },
})
