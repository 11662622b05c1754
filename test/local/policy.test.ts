// The evaluation of IAM policies: pure, with hand-written statements and calls.
import { describe, expect, it } from 'vitest'
import { dynamodbRequests, sesRequests, sqsRequests } from '../../infra/local/access/calls.ts'
import { type AccessNote, createEvaluator } from '../../infra/local/access/evaluate.ts'
import { compileStatement, type Statement } from '../../infra/local/access/policy.ts'
import { allow, denialBy, key, keyIn, PARTITION_KEYS, put, TABLE } from './policy-world.ts'

const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:Q'
function onKeys(...kinds: string[]): Statement['Condition'] {
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.flatMap(kind => [kind, `${kind}#*`]) },
    Null: { 'dynamodb:LeadingKeys': ['false'] },
  }
}

const READ = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
const WRITE = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem']
const STATEMENTS = [
  allow(READ, TABLE, onKeys('POST', 'SETTINGS')),
  allow(WRITE, TABLE, onKeys('POST')),
  allow(['dynamodb:ConditionCheckItem'], TABLE, onKeys('USER')),
  allow(['dynamodb:Query'], `${TABLE}/index/open`, onKeys('OPEN')),
]

function query(pk: string, members: object = {}) {
  return {
    TableName: 'T',
    KeyConditionExpression: '#sk >= :from AND #pk = :pk',
    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
    ExpressionAttributeValues: { ':pk': { S: pk }, ':from': { S: 'POST' } },
    ...members,
  }
}

const ON_INDEX = { IndexName: 'open', ExpressionAttributeNames: { '#pk': 'open_pk', '#sk': 'open_until' } }

function denial(operation: string, input: unknown, statements = STATEMENTS) {
  return denialBy(statements, operation, input)
}

describe('the policy of a table', () => {
  it.each<[string, unknown]>([
    ['GetItem', keyIn('POST#1')],
    ['GetItem', keyIn('SETTINGS')],
    ['PutItem', put('POST#1')],
    ['Query', query('POST#1')],
    ['Query', query('OPEN#3', ON_INDEX)],
    ['Query', { ...query('POST#1'), KeyConditionExpression: 'pk = :pk' }],
    ['BatchGetItem', { RequestItems: { T: { Keys: [key('POST#1'), key('SETTINGS')] } } }],
    [
      'BatchWriteItem',
      { RequestItems: { T: [{ PutRequest: put('POST#1') }, { DeleteRequest: keyIn('POST#2') }] } },
    ],
    ['TransactWriteItems', { TransactItems: [{ Put: put('POST#1') }, { ConditionCheck: keyIn('USER#1') }] }],
  ])('allows a call with permission: %s %j', (operation, input) => {
    expect(denial(operation, input)).toBeUndefined()
  })

  it.each<[string, unknown, string]>([
    ['GetItem', keyIn('USER#1'), 'dynamodb:GetItem'],
    ['GetItem', keyIn('POSTS#1'), 'POSTS#1'],
    ['GetItem', { TableName: 'U', Key: key('POST#1') }, 'table/U'],
    ['PutItem', put('SETTINGS'), 'dynamodb:PutItem'],
    ['Query', query('USER#1'), 'dynamodb:LeadingKeys USER#1'],
    ['Query', { ...query('POST#1'), KeyConditionExpression: '#sk = :pk' }, 'dynamodb:LeadingKeys unknown'],
    ['Query', query('OPEN#3'), 'dynamodb:Query'],
    ['Query', query('POST#3', ON_INDEX), 'index/open'],
    ['Scan', { TableName: 'T' }, 'dynamodb:Scan'],
    ['BatchGetItem', { RequestItems: { T: { Keys: [key('POST#1'), key('USER#2')] } } }, 'POST#1, USER#2'],
    [
      'BatchWriteItem',
      { RequestItems: { T: [{ PutRequest: put('POST#1') }, { DeleteRequest: keyIn('USER#2') }] } },
      'USER#2',
    ],
    [
      'TransactWriteItems',
      { TransactItems: [{ Put: put('POST#1') }, { ConditionCheck: keyIn('POST#2') }] },
      'dynamodb:ConditionCheckItem',
    ],
    ['TransactWriteItems', { TransactItems: [{ Update: keyIn('USER#1') }] }, 'dynamodb:UpdateItem'],
  ])('denies a call without permission: %s %j', (operation, input, reason) => {
    expect(denial(operation, input)).toContain(reason)
  })

  it('denies a call that one statement allows and another denies', () => {
    const deny: Statement = { ...allow(['dynamodb:*'], `${TABLE}*`), Effect: 'Deny' }
    expect(denial('GetItem', keyIn('POST#1'), [...STATEMENTS, deny])).toContain('dynamodb:GetItem')
  })
})

describe('the policy of SQS and SES', () => {
  it('requires permission for the queue, for a batch the same as for one message', () => {
    const evaluate = createEvaluator('F', [allow(['sqs:SendMessage'], QUEUE)], () => {})
    const call = (operation: string, QueueUrl: string) =>
      evaluate(sqsRequests({ operation, input: { QueueUrl } }))
    expect(call('SendMessageBatch', 'http://127.0.0.1:1/000000000000/Q')).toBeUndefined()
    expect(call('SendMessage', 'http://127.0.0.1:1/000000000000/R')).toContain('sqs:SendMessage')
    expect(call('DeleteMessageBatch', 'http://127.0.0.1:1/000000000000/Q')).toContain('sqs:DeleteMessage')
  })

  it('requires permission for the sender and for the configuration set of a mail', () => {
    const at = (resource: string) => `arn:aws:ses:us-east-1:000000000000:${resource}`
    const rules = {
      ...allow(['ses:SendEmail'], at('identity/*'), { StringEquals: { 'ses:FromAddress': ['a@site'] } }),
      Resource: [at('identity/*'), at('configuration-set/Rules')],
    }
    const send = (FromEmailAddress: string, ConfigurationSetName: string) =>
      createEvaluator('F', [rules], () => {})(
        sesRequests({ operation: '', input: { FromEmailAddress, ConfigurationSetName } }),
      )
    expect(send('a@site', 'Rules')).toBeUndefined()
    expect(send('b@site', 'Rules')).toContain('ses:FromAddress b@site')
    expect(send('a@site', 'Others')).toContain('configuration-set/Others')
  })
})

describe('the evaluator', () => {
  it('notes each used permission once per kind of record, and every denial', () => {
    const notes: AccessNote[] = []
    const evaluate = createEvaluator('F', STATEMENTS, note => notes.push(note))
    const remove = (pk: string) =>
      evaluate(dynamodbRequests({ operation: 'DeleteItem', input: keyIn(pk) }, PARTITION_KEYS))
    for (const pk of ['POST', 'POST#1', 'POST#2', 'USER#1']) remove(pk)
    expect(notes).toEqual([
      { used: `F: ${WRITE.join(', ')} of POST` },
      { denied: expect.stringContaining('USER#1') },
    ])
  })
})

describe('compileStatement', () => {
  it('throws an error that says where to add an unsupported condition', () => {
    const unknown = allow(READ, TABLE, { StringNotLike: { 'dynamodb:LeadingKeys': ['POST'] } })
    expect(() => compileStatement(unknown)).toThrow('does not support the condition StringNotLike')
  })
})
