// Calls that an attacker might try with the role of a function, and the functions whose roles allow them.
import {
  listPartition,
  passwordKey,
  REFUSALS,
  rootKey,
  submissionKey,
  tokenKey,
  userKey,
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
  'read the list of drafts': query(listPartition('drafts:all')),
  'read the list of pending comments': query(listPartition('comments:pending')),
} satisfies Record<string, { operation: string; input: unknown }>
type Attempt = keyof typeof ATTEMPTS

const WRITE_USERS: Attempt[] = [
  'put a token',
  'put a token in a batch',
  'put a token in a transaction',
  'delete a token',
  'change the secret of a token',
  'change what a token may do',
  'guess the secret of a token',
  'note the use of a token',
  'revoke all tokens of a user',
  'confirm the address of a user',
  'lift a ban',
]
const USER_LISTS: Attempt[] = ['read the list of users', 'read the list of addresses']

/** Every API function may authenticate its caller. */
export const OF_API_FUNCTIONS: Attempt[] = ['note the use of a token']

/** The further attempts that a function's role allows, because it does the same on behalf of its callers. */
export const ALSO_ALLOWED: Record<string, Attempt[]> = {
  comments: ['read the list of pending comments'],
  // Registers, logs in, resets passwords and confirms addresses.
  auth: [...WRITE_USERS, 'read a password', ...USER_LISTS],
  // Creates and deletes tokens, which are in the partition of their user.
  me: [...WRITE_USERS, 'read the list of addresses'],
  contact: ['read the list of messages'],
  newsletter: ['read the list of subscribers'],
  tickets: ['read the list of tickets'],
  'admin-posts': ['read the list of drafts'],
  'admin-users': ['lift a ban', ...USER_LISTS],
  'admin-comments': ['read the list of pending comments'],
  'admin-newsletter': ['read the list of subscribers', 'read the addresses that refuse mail'],
  'send-mail': ['read the addresses that refuse mail'],
  'admin-tickets': ['read the list of tickets'],
  'admin-contact': ['read the list of messages', 'read a message'],
  // Deletes revoked tokens and the lists of comments.
  tidy: [...WRITE_USERS, 'read the list of pending comments'],
}
