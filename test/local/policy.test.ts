// Policies as IAM judges them, and what calls ask of them: pure, on statements and calls written by hand.
import { describe, expect, it } from 'vitest'
import { dynamodbRequests, sesRequests, sqsRequests } from '../../infra/local/access/calls.ts'
import { judgeOf, type Note } from '../../infra/local/access/judge.ts'
import { ruleOf, type Statement } from '../../infra/local/access/policy.ts'
import { requestReader } from '../../infra/local/access/requests.ts'

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/T'
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:Q'
const partitionKeys = new Map([
  [TABLE, 'pk'],
  [`${TABLE}/index/open`, 'open_pk'],
])

const onKeys = (...kinds: string[]): Statement['Condition'] => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.flatMap(kind => [kind, `${kind}#*`]) },
  Null: { 'dynamodb:LeadingKeys': ['false'] },
})
const allow = (Action: string[], Resource: string, Condition: Statement['Condition'] = {}): Statement => ({
  Effect: 'Allow',
  Action,
  Resource: [Resource],
  Condition,
})

const READ = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
const WRITE = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem']
const STATEMENTS = [
  allow(READ, TABLE, onKeys('POST', 'SETTINGS')),
  allow(WRITE, TABLE, onKeys('POST')),
  allow(['dynamodb:ConditionCheckItem'], TABLE, onKeys('USER')),
  allow(['dynamodb:Query'], `${TABLE}/index/open`, onKeys('OPEN')),
]

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } })
const query = (pk: string, more: object = {}) => ({
  TableName: 'T',
  KeyConditionExpression: '#sk >= :from AND #pk = :pk',
  ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
  ExpressionAttributeValues: { ':pk': { S: pk }, ':from': { S: 'POST' } },
  ...more,
})
const onIndex = { IndexName: 'open', ExpressionAttributeNames: { '#pk': 'open_pk', '#sk': 'open_until' } }
const one = (pk: string) => ({ TableName: 'T', Key: key(pk) })
const put = (pk: string) => ({ TableName: 'T', Item: key(pk) })

const problem = (operation: string, input: unknown, statements = STATEMENTS) =>
  judgeOf('F', statements, () => {})(dynamodbRequests({ operation, input }, partitionKeys))

describe('a call to the table', () => {
  it.each<[string, unknown]>([
    ['GetItem', one('POST#1')],
    ['GetItem', one('SETTINGS')],
    ['PutItem', put('POST#1')],
    ['Query', query('POST#1')],
    ['Query', query('OPEN#3', onIndex)],
    ['Query', { ...query('POST#1'), KeyConditionExpression: 'pk = :pk' }],
    ['BatchGetItem', { RequestItems: { T: { Keys: [key('POST#1'), key('SETTINGS')] } } }],
    [
      'BatchWriteItem',
      { RequestItems: { T: [{ PutRequest: put('POST#1') }, { DeleteRequest: one('POST#2') }] } },
    ],
    ['TransactWriteItems', { TransactItems: [{ Put: put('POST#1') }, { ConditionCheck: one('USER#1') }] }],
  ])('is let through: %s %j', (operation, input) => {
    expect(problem(operation, input)).toBeUndefined()
  })

  it.each<[string, unknown, string]>([
    ['GetItem', one('USER#1'), 'dynamodb:GetItem'],
    ['GetItem', one('POSTS#1'), 'POSTS#1'],
    ['GetItem', { TableName: 'U', Key: key('POST#1') }, 'table/U'],
    ['PutItem', put('SETTINGS'), 'dynamodb:PutItem'],
    ['Query', query('USER#1'), 'dynamodb:LeadingKeys USER#1'],
    ['Query', { ...query('POST#1'), KeyConditionExpression: '#sk = :pk' }, 'dynamodb:LeadingKeys unknown'],
    ['Query', query('OPEN#3'), 'dynamodb:Query'],
    ['Query', query('POST#3', onIndex), 'index/open'],
    ['Scan', { TableName: 'T' }, 'dynamodb:Scan'],
    ['BatchGetItem', { RequestItems: { T: { Keys: [key('POST#1'), key('USER#2')] } } }, 'POST#1, USER#2'],
    [
      'BatchWriteItem',
      { RequestItems: { T: [{ PutRequest: put('POST#1') }, { DeleteRequest: one('USER#2') }] } },
      'USER#2',
    ],
    [
      'TransactWriteItems',
      { TransactItems: [{ Put: put('POST#1') }, { ConditionCheck: one('POST#2') }] },
      'dynamodb:ConditionCheckItem',
    ],
    ['TransactWriteItems', { TransactItems: [{ Update: one('USER#1') }] }, 'dynamodb:UpdateItem'],
  ])('is denied: %s %j', (operation, input, says) => {
    expect(problem(operation, input)).toContain(says)
  })

  it('is denied where one statement denies what another allows', () => {
    const deny: Statement = { ...allow(['dynamodb:*'], `${TABLE}*`), Effect: 'Deny' }
    expect(problem('GetItem', one('POST#1'), [...STATEMENTS, deny])).toContain('dynamodb:GetItem')
  })
})

describe('a permission for some attributes', () => {
  const onlyUse: Statement = allow(['dynamodb:UpdateItem'], TABLE, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER#*'] },
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'last_used_at'] },
    Null: { 'dynamodb:LeadingKeys': ['false'], 'dynamodb:Attributes': ['false'] },
  })
  const problemOf = (UpdateExpression: string, more: object = {}) =>
    problem('UpdateItem', { ...one('USER#1'), UpdateExpression, ...more }, [onlyUse])

  it.each<[string, object]>([
    ['SET last_used_at = :now', {}],
    ['SET #used = if_not_exists(#used, :now)', { ExpressionAttributeNames: { '#used': 'last_used_at' } }],
    ['SET last_used_at = :now', { ConditionExpression: 'attribute_exists(pk) AND NOT (sk = :sk)' }],
    ['REMOVE last_used_at', {}],
  ])('lets an update through that names no other: %s %j', (expression, more) => {
    expect(problemOf(expression, more)).toBeUndefined()
  })

  it.each<[string, object]>([
    ['SET last_used_at = :now, abilities = :all', {}],
    ['SET #a.#b[0] = :all', { ExpressionAttributeNames: { '#a': 'abilities', '#b': 'last_used_at' } }],
    ['SET last_used_at = secret_hash', {}],
    ['ADD hits :one', {}],
    ['SET last_used_at = :now', { ConditionExpression: 'begins_with(secret_hash, :guess)' }],
  ])('denies one that names another: %s %j', (expression, more) => {
    expect(problemOf(expression, more)).toContain('dynamodb:Attributes')
  })

  it('denies other writes of the same item, alone and in a transaction', () => {
    expect(problem('PutItem', put('USER#1'), [onlyUse])).toContain('dynamodb:PutItem')
    const update = { ...one('USER#1'), UpdateExpression: 'SET secret_hash = :mine' }
    expect(problem('TransactWriteItems', { TransactItems: [{ Update: update }] }, [onlyUse])).toContain(
      'secret_hash',
    )
  })

  it('goes by a name of its own', () => {
    const notes: Note[] = []
    const judge = judgeOf('F', [onlyUse], note => notes.push(note))
    const input = { ...one('USER#1'), UpdateExpression: 'SET last_used_at = :now' }
    judge(dynamodbRequests({ operation: 'UpdateItem', input }, partitionKeys))
    expect(notes).toEqual([{ used: 'F: dynamodb:UpdateItem of USER (pk, sk, last_used_at)' }])
  })
})

describe('a call to a queue or to SES', () => {
  it('asks for its queue, a batch as one message does', () => {
    const judge = judgeOf('F', [allow(['sqs:SendMessage'], QUEUE)], () => {})
    const call = (operation: string, QueueUrl: string) =>
      judge(sqsRequests({ operation, input: { QueueUrl } }))
    expect(call('SendMessageBatch', 'http://127.0.0.1:1/000000000000/Q')).toBeUndefined()
    expect(call('SendMessage', 'http://127.0.0.1:1/000000000000/R')).toContain('sqs:SendMessage')
    expect(call('DeleteMessageBatch', 'http://127.0.0.1:1/000000000000/Q')).toContain('sqs:DeleteMessage')
  })

  it('asks for the sender and for the set of rules', () => {
    const at = (resource: string) => `arn:aws:ses:us-east-1:000000000000:${resource}`
    const rules = {
      ...allow(['ses:SendEmail'], at('identity/*'), { StringEquals: { 'ses:FromAddress': ['a@site'] } }),
      Resource: [at('identity/*'), at('configuration-set/Rules')],
    }
    const send = (FromEmailAddress: string, ConfigurationSetName: string) =>
      judgeOf('F', [rules], () => {})(
        sesRequests({ operation: '', input: { FromEmailAddress, ConfigurationSetName } }),
      )
    expect(send('a@site', 'Rules')).toBeUndefined()
    expect(send('b@site', 'Rules')).toContain('ses:FromAddress b@site')
    expect(send('a@site', 'Others')).toContain('configuration-set/Others')
  })
})

describe('what is noted', () => {
  it('is each permission once, a kind of record for one, and what was denied', () => {
    const notes: Note[] = []
    const judge = judgeOf('F', STATEMENTS, note => notes.push(note))
    const ask = (pk: string) =>
      judge(dynamodbRequests({ operation: 'DeleteItem', input: one(pk) }, partitionKeys))
    for (const pk of ['POST', 'POST#1', 'POST#2', 'USER#1']) ask(pk)
    expect(notes).toEqual([
      { used: `F: ${WRITE.join(', ')} of POST` },
      { denied: expect.stringContaining('USER#1') },
    ])
  })
})

describe('a condition that is not known', () => {
  it('is an error that says where to teach it', () => {
    const unknown = allow(READ, TABLE, { StringNotLike: { 'dynamodb:LeadingKeys': ['POST'] } })
    expect(() => ruleOf(unknown)).toThrow('does not know the condition StringNotLike')
  })
})

describe('requests as bytes', () => {
  const request = (operation: string, body: string) =>
    `POST / HTTP/1.1\r\nX-Amz-Target: Some_2012.${operation}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

  it('are whole again, however they are cut', () => {
    const bytes = Buffer.from(request('GetItem', '{"é":1}') + request('PutItem', '') + request('Query', '{}'))
    for (const size of [1, 7, 64, 100, bytes.length]) {
      const read = requestReader()
      const found = []
      for (let at = 0; at < bytes.length; at += size) found.push(...read(bytes.subarray(at, at + size)))
      expect(found.map(({ operation, body }) => [operation, body])).toEqual([
        ['GetItem', '{"é":1}'],
        ['PutItem', ''],
        ['Query', '{}'],
      ])
      expect(Buffer.concat(found.map(each => each.bytes)).equals(bytes)).toBe(true)
    }
  })
})
