// Calls that an attacker might try with the role of a function.
import {
  answerKey,
  changeKey,
  deliveryKey,
  emailKey,
  eventKey,
  generationKey,
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
  webhookKey,
} from '../../shared/table/design.ts'
import type { Key } from '../../shared/table/key.ts'

function item({ pk, sk }: Key) {
  return { pk: { S: pk }, sk: { S: sk } }
}

const TOKEN = item(tokenKey(1, 2))
const secret = { ...TOKEN, secret_hash: { S: 'mine' }, abilities: { L: [{ S: 'admin' }] } }

function update(Key: object, UpdateExpression: string, more: object = {}) {
  return {
    operation: 'UpdateItem',
    input: { TableName: 'T', Key, UpdateExpression, ...more },
  }
}

function query(pk: string) {
  return {
    operation: 'Query',
    input: {
      TableName: 'T',
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': 'pk' },
      ExpressionAttributeValues: { ':pk': { S: pk } },
    },
  }
}

function get(key: Key) {
  return { operation: 'GetItem', input: { TableName: 'T', Key: item(key) } }
}

function put(key: Key) {
  return { operation: 'PutItem', input: { TableName: 'T', Item: item(key) } }
}

/** Calls that an attacker might try, by the names that the list of allowed ones uses. */
export const ATTEMPTS = {
  'put a token': { operation: 'PutItem', input: { TableName: 'T', Item: secret } },
  'put a token in a batch': {
    operation: 'BatchWriteItem',
    input: { RequestItems: { T: [{ PutRequest: { Item: secret } }] } },
  },
  'put a token in a transaction': {
    operation: 'TransactWriteItems',
    input: { TransactItems: [{ Put: { TableName: 'T', Item: secret } }] },
  },
  'delete a token': { operation: 'DeleteItem', input: { TableName: 'T', Key: TOKEN } },
  'change the secret of a token': update(TOKEN, 'SET last_used_at = :now, secret_hash = :mine'),
  'change what a token may do': update(TOKEN, 'SET #may = :all', {
    ExpressionAttributeNames: { '#may': 'abilities' },
  }),
  'guess the secret of a token': update(TOKEN, 'SET last_used_at = :now', {
    ConditionExpression: 'begins_with(secret_hash, :guess)',
  }),
  'note the use of a token': update(TOKEN, 'SET last_used_at = :now', {
    ConditionExpression: 'attribute_exists(pk)',
  }),
  'revoke all tokens of a user': update(item(userKey(1)), 'SET first_valid_token = :high'),
  'confirm the address of a user': update(item(userKey(1)), 'SET email_verified = :true'),
  'lift a ban': update(item(userKey(1)), 'SET ban = :null'),
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
  'stop all deliveries for a while': update(item(subscriptionsKey), 'SET slow = :all'),
  'let an address get mail again': update(item(refusalKey('a@example.com')), 'SET allowed_ms = :now'),
  'remove the refusal of an address': {
    operation: 'DeleteItem',
    input: { TableName: 'T', Key: item(refusalKey('a@example.com')) },
  },
  'read what mails were sent': get(mailKey('evt_1')),
  'read an answer that is kept for another user': get(idempotencyKey(1, 'key')),
  'change the settings': put(settingsKey),
  'publish a post': put(postKey(1)),
  'put a change for copies': put(changeKey(1)),
  'move the place of all changes': update(item(generationKey(1)), 'SET place = :high'),
  'find the account of an address': get(emailKey('a@example.com')),
  'find the subscriber of an address': get(newsletterEmailKey('a@example.com')),
} satisfies Record<string, { operation: string; input: unknown }>
export type Attempt = keyof typeof ATTEMPTS
