// Checks that the roles of the template grant exactly the declared access, and what a stolen role could do.
import { describe, expect, it } from 'vitest'
import { SECRET_VARIABLES } from '../../shared/runtime/parameters.ts'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import { partitionsOf } from '../../shared/service/permissions.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
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
import type { RecordKind } from '../../shared/table/kinds.ts'
import { synthesize } from './synthesize.ts'
import { idIn, idOf, plain, statementsOf, statementsOfFunction } from './template.ts'

const LARGEST_POLICY = 10_240

const SENDER = 'content@example.com'
const template = synthesize({ mailSender: SENDER })
const DECLARED = { ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS }
const all = statementsOf(template)

function allowedFor(name: string, action: string) {
  return statementsOfFunction(template, name).filter(({ actions }) => actions.includes(action))
}

describe('the roles', () => {
  it('grant no wildcard in actions or resources, and no Scan; one role sends mail, from one address', () => {
    const [wide, ...others] = all.filter(
      ({ actions, resources }) =>
        actions.some(action => action.includes('*') || action.endsWith(':Scan')) ||
        JSON.stringify(resources).includes('*'),
    )
    expect(others).toEqual([])
    expect(wide).toMatchObject({
      role: 'jobsrole',
      actions: ['ses:SendEmail'],
      condition: { StringEquals: { 'ses:FromAddress': SENDER } },
    })
    expect(all.filter(({ actions }) => actions.some(action => action.startsWith('ses:')))).toHaveLength(1)
  })

  it('belong to one function each, with one inline policy that fits into the limit of AWS', () => {
    const roles = template.of('AWS::IAM::Role')
    const used = template.of('AWS::Lambda::Function').map(({ properties }) => idIn(properties.Role))
    expect(new Set(used).size).toBe(used.length)
    for (const { id, properties } of roles) {
      // API Gateway takes only a managed policy for writing its logs.
      const isOfGateway = plain(id) === 'apicloudwatchrole'
      expect(properties.ManagedPolicyArns !== undefined).toBe(isOfGateway)
      expect(used.includes(id)).toBe(!isOfGateway)
      const policies = [properties.Policies ?? []].flat()
      expect(policies).toHaveLength(isOfGateway ? 0 : 1)
      expect(JSON.stringify(policies).length).toBeLessThan(LARGEST_POLICY)
    }
    expect(['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap(template.of)).toEqual([])
  })

  it.each(['authorize-tier', 'check-release'])('let %s only write its log', name => {
    const log = template.only('AWS::Logs::LogGroup', `${idOf(name)}log`).id
    expect(statementsOfFunction(template, name)).toMatchObject([
      {
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [{ 'Fn::GetAtt': [log, 'Arn'] }],
      },
    ])
  })

  it('let public write nothing but counts', () => {
    const READING = /:(?:Get|BatchGet|Query|ConditionCheck|Create|PutLog)/
    const writing = statementsOfFunction(template, 'public').filter(
      ({ actions }) => !actions.every(action => READING.test(action)),
    )
    expect(writing).toMatchObject([{ keys: ['LIMIT', 'LIMIT#*'] }])
  })
})

describe.each(Object.entries(DECLARED))('the role of %s', (name, declared) => {
  const { reads, writes, puts, updates, secrets } = declared

  it('reaches only the kinds of records that its function declares', () => {
    const byAction: Record<string, RecordKind[]> = {
      GetItem: reads,
      BatchGetItem: reads,
      Query: reads,
      ConditionCheckItem: [...writes, ...reads],
      PutItem: [...writes, ...puts],
      UpdateItem: [...writes, ...updates],
      DeleteItem: writes,
      BatchWriteItem: writes,
    }
    const granted = statementsOfFunction(template, name).flatMap(({ actions, keys = [] }) =>
      actions.flatMap(action => keys.map(key => `${action} ${key}`)),
    )
    const expected = Object.entries(byAction).flatMap(([action, kinds]) =>
      kinds.flatMap(partitionsOf).map(key => `dynamodb:${action} ${key}`),
    )
    expect(new Set(granted)).toEqual(new Set(expected))
  })

  it('reads only the secrets that its function declares', () => {
    const reading = allowedFor(name, 'secretsmanager:GetSecretValue').flatMap(({ resources }) => resources)
    expect(reading.map(arn => plain(idIn(arn) ?? ''))).toEqual(secrets.map(plain))
  })
})

/** Who registers or logs in gets a token, and `jobs` deletes revoked ones. */
const USERS = ['auth', 'me', 'jobs']
/** They deliver, show deliveries, or send them again, and count them in the records of subscriptions. */
const DELIVERING = ['admin', 'deliver-webhooks', 'jobs']

function list(name: string): Pick<Key, 'pk'> {
  return { pk: listPartition(name) }
}

/**
 * What an attacker might try, as IAM sees it, also in transactions. The roles of the functions that are
 * named allow it, because they do the same on behalf of their callers.
 */
const ATTEMPTS: [what: string, action: string, key: Pick<Key, 'pk'>, allowed: string[]][] = [
  ['put a token', 'PutItem', tokenKey(1, 2), USERS],
  ['put a token in a batch', 'BatchWriteItem', tokenKey(1, 2), USERS],
  ['delete a token', 'DeleteItem', tokenKey(1, 2), USERS],
  ['change a token, a ban or a confirmed address', 'UpdateItem', userKey(1), [...USERS, 'admin']],
  ['read a password', 'GetItem', passwordKey(1), ['auth']],
  ['read the list of users', 'Query', list('users'), ['auth', 'admin']],
  ['read the list of addresses', 'Query', list('users:email'), ['auth', 'me', 'admin']],
  ['find the account of an address', 'GetItem', emailKey('a@example.com'), ['auth', 'jobs']],
  ['find the subscriber of an address', 'GetItem', newsletterEmailKey('a@example.com'), ['community', 'me']],
  ['read the list of subscribers', 'Query', list('newsletter:all'), ['community', 'me', 'admin']],
  ['read the addresses that refuse mail', 'Query', { pk: REFUSALS }, ['admin', 'jobs']],
  // A newer bounce ends the permission of the owner.
  ['let an address get mail again', 'UpdateItem', refusalKey('a@example.com'), ['jobs']],
  ['remove the refusal of an address', 'DeleteItem', refusalKey('a@example.com'), []],
  ['read what mails were sent', 'GetItem', mailKey('evt_1'), ['jobs']],
  ['read the list of tickets', 'Query', list('tickets:all'), ['me', 'admin']],
  ['read the list of messages', 'GetItem', rootKey('contact'), ['community', 'admin']],
  ['read a message', 'GetItem', submissionKey(1), ['admin']],
  ['read the list of drafts', 'Query', list('drafts:post'), ['admin']],
  // Approved comments are in lists of the same name.
  [
    'read the list of pending comments',
    'Query',
    list('comments:pending'),
    ['public', 'community', 'me', 'admin', 'jobs'],
  ],
  ['read a subscription with its sealed secret', 'GetItem', webhookKey(1, 1), DELIVERING],
  ['subscribe a receiver to all events', 'PutItem', webhookKey(1, 1), ['admin', 'deliver-webhooks']],
  ['read an event that was delivered', 'GetItem', eventKey('evt_1'), ['admin', 'deliver-webhooks']],
  // `admin` does so for a test ping.
  ['put an event into the log', 'PutItem', eventKey('evt_1'), ['admin', 'fan-out']],
  ['read the log of deliveries', 'Query', { pk: 'DELIVERIES#1' }, DELIVERING],
  ['put a delivery into the log', 'PutItem', deliveryKey(1, 'evt_1'), DELIVERING],
  ['read an answer that is kept for another user', 'GetItem', idempotencyKey(1, 'key'), []],
  ['change the settings', 'PutItem', settingsKey, ['admin']],
  // `fan-out` announces posts that become due.
  ['publish a post', 'PutItem', postKey(1), ['admin', 'fan-out']],
  // A new name of a user is content.
  ['put a change for copies', 'PutItem', changeKey(1), ['me', 'admin', 'fan-out']],
  ['move the place of all changes', 'UpdateItem', versionKey, ['me', 'admin', 'fan-out']],
]

/** With one asterisk at most. */
function matches(pattern: string, text: string): boolean {
  const [start = '', end] = pattern.split('*')
  return end === undefined ? text === start : text.startsWith(start) && text.endsWith(end)
}

describe('a stolen role', () => {
  it.each(ATTEMPTS)('can %s (%s) only where its function does', (_, action, { pk }, allowed) => {
    const able = Object.keys(DECLARED).filter(name =>
      allowedFor(name, `dynamodb:${action}`).some(({ keys = [] }) => keys.some(key => matches(key, pk))),
    )
    const advice = 'Declare less in shared/service/, or add the function if it must do this for its callers.'
    expect(able.toSorted(), advice).toEqual(allowed.toSorted())
  })
})

describe('the secrets', () => {
  const functions = template.of('AWS::Lambda::Function')

  it('are not in the configuration of functions, which has only their ids', () => {
    const text = JSON.stringify(functions)
    expect(text).not.toContain('{{resolve:')
    for (const variable of Object.values(SECRET_VARIABLES)) expect(text).not.toContain(`"${variable}":`)
  })

  it('of links in mails and webhooks are given only to the functions that make or read them', () => {
    const knowing = functions.filter(({ properties }) => JSON.stringify(properties).includes('PRIVATE_KEY_'))
    expect(knowing.map(({ id }) => plain(id)).toSorted()).toEqual([
      'admin',
      'auth',
      'community',
      'deliverwebhooks',
      'jobs',
    ])
  })
})
