// Calls that an attacker might try with the role of a function.
import {
  answerKey,
  changeKey,
  deliveryKey,
  emailKey,
  eventKey,
  idempotencyKey,
  listPartition,
  mailKey,
  newsletterEmailKey,
  passwordKey,
  postKey,
  REFUSALS,
  refusalKey,
  replayKey,
  rootKey,
  settingsKey,
  submissionKey,
  subscriptionsKey,
  tokenKey,
  userKey,
  versionKey,
  webhookKey,
} from '../../shared/table/design.ts'
import type { Key } from '../../shared/table/key.ts'

/** As IAM sees a call, also in a transaction: an action on a partition, and the attributes that it names. */
export type Call = { action: string; pk: string; attributes: string[] }

function call(action: string, { pk }: Pick<Key, 'pk'>, ...attributes: string[]): Call {
  return { action, pk, attributes: ['pk', 'sk', ...attributes] }
}

function get(key: Key): Call {
  return call('GetItem', key)
}

function put(key: Key): Call {
  return call('PutItem', key)
}

/** @param attributes of its changes and conditions. */
function update(key: Key, ...attributes: string[]): Call {
  return call('UpdateItem', key, ...attributes)
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
  'change or guess the secret of a token': update(TOKEN, 'last_used_at', 'secret_hash'),
  'change what a token may do': update(TOKEN, 'abilities'),
  'note the use of a token': update(TOKEN, 'last_used_at'),
  'revoke all tokens of a user': update(userKey(1), 'first_valid_token'),
  'confirm the address of a user': update(userKey(1), 'email_verified'),
  'lift a ban': update(userKey(1), 'ban'),
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
  'read the answer of a receiver': get(answerKey(1, 'evt_1')),
  'send deliveries again': put(replayKey(1)),
  'stop all deliveries for a while': update(subscriptionsKey, 'slow'),
  'let an address get mail again': update(refusalKey('a@example.com'), 'allowed_ms'),
  'remove the refusal of an address': call('DeleteItem', refusalKey('a@example.com')),
  'read what mails were sent': get(mailKey('evt_1')),
  'read an answer that is kept for another user': get(idempotencyKey(1, 'key')),
  'change the settings': put(settingsKey),
  'publish a post': put(postKey(1)),
  'put a change for copies': put(changeKey(1)),
  'move the place of all changes': update(versionKey, 'place'),
  'find the account of an address': get(emailKey('a@example.com')),
  'find the subscriber of an address': get(newsletterEmailKey('a@example.com')),
} satisfies Record<string, Call>
export type Attempt = keyof typeof ATTEMPTS
