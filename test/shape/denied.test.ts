// What a function could do to the table with its role if somebody took it over: tried on the template's own policies.
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { dynamodbRequests } from '../../infra/local/access/calls.ts'
import { createEvaluator } from '../../infra/local/access/evaluate.ts'
import type { Statement } from '../../infra/local/access/policy.ts'
import { arn } from '../../infra/local/account.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import {
  listPartition,
  passwordKey,
  rootKey,
  submissionKey,
  tokenKey,
  userKey,
} from '../../shared/table/design.ts'
import type { Key } from '../../shared/table/key.ts'
import { idIn, idOf, plain, readTemplate } from './synthesized.ts'

const TABLE = arn('dynamodb', 'table/T')

const many = z.union([z.array(z.string()), z.string()])
const Policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(
      z.object({
        Action: many,
        Resource: z.unknown(),
        Condition: z._default(z.record(z.string(), z.record(z.string(), z.unknown())), {}),
      }),
    ),
  }),
  Roles: z._default(z.array(z.unknown()), []),
})

/** What the role of a function lets it do with the table itself. */
function statementsOf(name: string): Statement[] {
  return template.of('AWS::IAM::Policy').flatMap(({ properties }) => {
    const { PolicyDocument, Roles } = Policy.parse(properties)
    if (plain(idIn(Roles) ?? '') !== `${idOf(name)}role`) return []
    return PolicyDocument.Statement.filter(
      ({ Action, Resource }) =>
        [Action].flat()[0]?.startsWith('dynamodb:') && !JSON.stringify(Resource).includes('/index/'),
    ).map(({ Action, Condition }) => ({
      Effect: 'Allow' as const,
      Action: [Action].flat(),
      Resource: [TABLE],
      Condition: Object.fromEntries(
        Object.entries(Condition).map(([operator, byKey]) => [
          operator,
          Object.fromEntries(
            Object.entries(byKey).map(([key, values]) => [key, [values].flat().map(String)]),
          ),
        ]),
      ),
    }))
  })
}

const template = readTemplate(inject('assembly'))

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

/** What somebody might want to do, by the name under which a function is let do it below. */
const ATTEMPTS = {
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
  'try out the secret of a token': update(TOKEN, 'SET last_used_at = :now', {
    ConditionExpression: 'begins_with(secret_hash, :guess)',
  }),
  'note the use of a token': update(TOKEN, 'SET last_used_at = :now', {
    ConditionExpression: 'attribute_exists(pk)',
  }),
  'void all tokens of a user': update(item(userKey(1)), 'SET first_valid_token = :high'),
  'confirm the address of a user': update(item(userKey(1)), 'SET email_verified = :true'),
  'lift a ban': update(item(userKey(1)), 'SET ban = :null'),
  'read a password': get(passwordKey(1)),
  'read the list of users': query(listPartition('users')),
  'read the list of addresses': query(listPartition('users:email')),
  'read the list of subscribers': query(listPartition('newsletter:all')),
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
  'try out the secret of a token',
  'note the use of a token',
  'void all tokens of a user',
  'confirm the address of a user',
  'lift a ban',
]
const AUTHENTICATE: Attempt[] = ['note the use of a token']
const USER_LISTS: Attempt[] = ['read the list of users', 'read the list of addresses']

/** All of the tries that each function is let do; a function that is missing here fails the test. */
const ALLOWED: Record<string, Attempt[]> = {
  system: ['note the use of a token'],
  site: AUTHENTICATE,
  posts: AUTHENTICATE,
  search: AUTHENTICATE,
  categories: AUTHENTICATE,
  comments: [...AUTHENTICATE, 'read the list of pending comments'],
  // It registers, logs in, resets passwords and confirms addresses.
  auth: [...WRITE_USERS, 'read a password', ...USER_LISTS],
  // It makes and deletes tokens, which stand beside their user.
  me: [...WRITE_USERS, 'read the list of addresses'],
  contact: [...AUTHENTICATE, 'read the list of messages'],
  newsletter: [...AUTHENTICATE, 'read the list of subscribers'],
  tickets: [...AUTHENTICATE, 'read the list of tickets'],
  'admin-posts': [...AUTHENTICATE, 'read the list of drafts'],
  'admin-categories': AUTHENTICATE,
  'admin-users': [...AUTHENTICATE, 'lift a ban', ...USER_LISTS],
  'admin-site': AUTHENTICATE,
  'admin-comments': [...AUTHENTICATE, 'read the list of pending comments'],
  'admin-webhooks': AUTHENTICATE,
  'admin-newsletter': [...AUTHENTICATE, 'read the list of subscribers'],
  'admin-tickets': [...AUTHENTICATE, 'read the list of tickets'],
  'admin-contact': [...AUTHENTICATE, 'read the list of messages', 'read a message'],
  'fan-out': [],
  'deliver-webhooks': [],
  // It deletes void tokens, and the lists of comments.
  tidy: [...WRITE_USERS, 'read the list of pending comments'],
  'index-search': [],
  'send-mail': [],
  sweep: [],
}

const KEYS = new Map([[TABLE, 'pk']])

describe('the role', () => {
  it.each(Object.keys({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS }))(
    'of %s lets it do what is listed here and denies every other try',
    name => {
      const evaluate = createEvaluator(name, statementsOf(name), () => {})
      const isAllowed = (call: { operation: string; input: unknown }) =>
        evaluate(dynamodbRequests(call, KEYS)) === undefined
      const allowed = Object.entries(ATTEMPTS).flatMap(([what, call]) => (isAllowed(call) ? [what] : []))
      expect(allowed.toSorted()).toEqual(ALLOWED[name]?.toSorted())
    },
  )
})

describe('the key of links in mails', () => {
  it('is known to the three functions that make or read links, and to no other', () => {
    const Properties = z.object({
      Environment: z.optional(z.object({ Variables: z.record(z.string(), z.unknown()) })),
    })
    const knowing = template
      .of('AWS::Lambda::Function')
      .filter(({ properties }) => Properties.parse(properties).Environment?.Variables.LINK_KEY)
    expect(knowing.map(({ id }) => plain(id)).toSorted()).toEqual(['auth', 'newsletter', 'sendmail'])
  })
})
