// Calls that an attacker might try with the role of a function.

import {
  changeKey,
  deliveryKey,
  emailKey,
  eventKey,
  idempotencyKey,
  type Key,
  listPartition,
  mailKey,
  newsletterEmailKey,
  passwordKey,
  postKey,
  REFUSALS,
  refusalKey,
  rootKey,
  settingsKey,
  submissionKey,
  tokenKey,
  userKey,
  versionKey,
  webhookKey,
} from '../../shared/table/design.ts'

/** As IAM sees a call, also in a transaction: an action on a partition. */
export type Call = { action: string; pk: string }

function call(action: string, { pk }: Pick<Key, 'pk'>): Call {
  return { action, pk }
}

function get(key: Key): Call {
  return call('GetItem', key)
}

function put(key: Key): Call {
  return call('PutItem', key)
}

function update(key: Key): Call {
  return call('UpdateItem', key)
}

function query(pk: string): Call {
  return call('Query', { pk })
}

const TOKEN = tokenKey(1, 2)

/** Calls that an attacker might try, by the names that the list of allowed ones uses. */
export const ATTEMPTS = {
  'put a token': put(TOKEN),
  'put a token in a batch': call('BatchWriteItem', TOKEN),
  'delete a token': call('DeleteItem', TOKEN),
  'change a token, a ban or a confirmed address': update(userKey(1)),
  'read a password': get(passwordKey(1)),
  'read the list of users': query(listPartition('users')),
  'read the list of addresses': query(listPartition('users:email')),
  'read the list of subscribers': query(listPartition('newsletter:all')),
  'read the addresses that refuse mail': query(REFUSALS),
  'read the list of tickets': query(listPartition('tickets:all')),
  'read the list of messages': get(rootKey('contact')),
  'read a message': get(submissionKey(1)),
  'read the list of drafts': query(listPartition('drafts:post')),
  'read the list of pending comments': query(listPartition('comments:pending')),
  'read a subscription with its sealed secret': get(webhookKey(1, 1)),
  'subscribe a receiver to all events': put(webhookKey(1, 1)),
  'read an event that was delivered': get(eventKey('evt_1')),
  'put an event into the log': put(eventKey('evt_1')),
  'read the log of deliveries': query('DELIVERIES#1'),
  'put a delivery into the log': put(deliveryKey(1, 'evt_1')),
  'let an address get mail again': update(refusalKey('a@example.com')),
  'remove the refusal of an address': call('DeleteItem', refusalKey('a@example.com')),
  'read what mails were sent': get(mailKey('evt_1')),
  'read an answer that is kept for another user': get(idempotencyKey(1, 'key')),
  'change the settings': put(settingsKey),
  'publish a post': put(postKey(1)),
  'put a change for copies': put(changeKey(1)),
  'move the place of all changes': update(versionKey),
  'find the account of an address': get(emailKey('a@example.com')),
  'find the subscriber of an address': get(newsletterEmailKey('a@example.com')),
} satisfies Record<string, Call>
export type Attempt = keyof typeof ATTEMPTS
