// What each function may do in the local run: what shared/service/ declares for it, and nothing else.
import { describe, expect, it } from 'vitest'
import { checkQueueCalls, checkTableCalls, guarded, openAccessRecord } from '../../infra/local/access.ts'
import { QUEUE_NAMES, type QueueName } from '../../shared/events/message.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import {
  type Access,
  type FunctionNeeds,
  listsOf,
  needsOf,
  partitionsOf,
} from '../../shared/service/permissions.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import type { TableClient } from '../../shared/table/client.ts'
import { KINDS, type Kind, type Reach } from '../../shared/table/kinds.ts'

type Needs = FunctionNeeds & { consumes?: QueueName }
const FUNCTIONS: [string, Needs][] = Object.entries({
  ...API_FUNCTIONS,
  ...QUEUE_WORKERS,
  ...SCHEDULED_WORKERS,
})

function isReach(kind: string): kind is Exclude<Kind, 'LIST'> {
  return kind !== 'LIST'
}
const REACHES: Reach[] = [
  ...Object.keys(KINDS).filter(isReach),
  ...Object.values(KINDS).flatMap(kind => ('lists' in kind ? listsOf(kind) : [])),
]

/** The declarations that allow each call on single items. */
const CALLS: [operation: string, allowedBy: (keyof Access)[]][] = [
  ['GetItem', ['reads']],
  ['Query', ['reads']],
  ['PutItem', ['writes', 'puts']],
  ['UpdateItem', ['writes', 'updates']],
  ['DeleteItem', ['writes']],
  ['ConditionCheckItem', ['writes', 'reads']],
  ['Scan', []],
]

/** The key of a record of this kind. */
function pkOf(reach: Reach): string {
  return (partitionsOf(reach).at(-1) ?? '').replace('*', '1')
}

function inputOf(operation: string, pk: string): object {
  if (operation === 'Query') return { ExpressionAttributeValues: { ':pk': { S: pk } } }
  const key = { pk: { S: pk }, sk: { S: 'x' } }
  return operation === 'PutItem' ? { Item: key } : { Key: key }
}

function isAllowed(call: () => void): boolean {
  try {
    call()
    return true
  } catch {
    return false
  }
}

describe.each(FUNCTIONS)('the function %s', (name, needs) => {
  it('may call the table for the kinds of records that it declares only', () => {
    const record = openAccessRecord()
    const check = checkTableCalls(name, needs, record)
    const all = CALLS.flatMap(([operation, allowedBy]) =>
      REACHES.map(reach => ({
        call: `${operation} ${reach}`,
        isDeclared: allowedBy.some(kind => needs[kind].includes(reach)),
        isAllowed: isAllowed(() => check(operation, inputOf(operation, pkOf(reach)))),
      })),
    )
    const namesOf = (calls: typeof all) => calls.map(({ call }) => call)
    const allowed = all.filter(({ isAllowed }) => isAllowed)
    expect(namesOf(allowed)).toEqual(namesOf(all.filter(({ isDeclared }) => isDeclared)))
    expect(record.denied).toHaveLength(all.length - allowed.length)
    expect([...record.used].sort()).toEqual([...record.granted].sort())
  })

  it('may send to, inspect and receive from the queues that it declares only', () => {
    const record = openAccessRecord()
    const check = checkQueueCalls(name, needs, url => QUEUE_NAMES.find(queue => queue === url), record)
    const allowedFor = (operation: string) =>
      QUEUE_NAMES.filter(QueueUrl => isAllowed(() => check(operation, { QueueUrl })))
    const inDeclaredOrder = (queues: QueueName[]) => QUEUE_NAMES.filter(queue => queues.includes(queue))
    const { sends, consumes } = needs
    const consumed = consumes ? [consumes] : []
    expect(allowedFor('SendMessageBatch')).toEqual(inDeclaredOrder(sends))
    expect(allowedFor('GetQueueAttributes')).toEqual(inDeclaredOrder(consumed))
    expect(allowedFor('ReceiveMessage')).toEqual(consumed)
    expect(allowedFor('DeleteMessageBatch')).toEqual(consumed)
    expect(allowedFor('PurgeQueue')).toEqual([])
    expect([...record.used].sort()).toEqual([...record.granted].sort())
  })
})

describe('a call that is not declared', () => {
  const needs = needsOf({ reads: ['POST'], writes: ['SLUG'] })

  it('is refused in the words of AWS, and recorded', () => {
    const record = openAccessRecord()
    const check = checkTableCalls('posts', needs, record)
    const message =
      'User: arn:aws:sts::000000000000:assumed-role/posts is not authorized to perform: dynamodb:PutItem on resource: a record with the key POST#1, because shared/service/ does not declare it'
    const put = () => check('PutItem', inputOf('PutItem', 'POST#1'))
    expect(put).toThrow(expect.objectContaining({ name: 'AccessDeniedException', message }))
    expect(record).toEqual({
      granted: new Set(['posts: read POST', 'posts: write SLUG']),
      used: new Set(),
      denied: [message],
    })
  })

  it('is refused by its queue', () => {
    const record = openAccessRecord()
    const check = checkQueueCalls('posts', { sends: [] }, () => 'jobs', record)
    expect(() => check('SendMessageBatch', { QueueUrl: 'x' })).toThrow(
      'not authorized to perform: sqs:SendMessageBatch on resource: the queue jobs,',
    )
    expect(record.denied).toHaveLength(1)
  })

  const [read, written] = [{ pk: { S: 'POST#1' } }, { pk: { S: 'SLUG#a' } }]
  it.each<[string, object, boolean]>([
    [
      'TransactWriteItems',
      { TransactItems: [{ Put: { Item: written } }, { Delete: { Key: written } }] },
      true,
    ],
    ['TransactWriteItems', { TransactItems: [{ Put: { Item: written } }, { Delete: { Key: read } }] }, false],
    ['TransactWriteItems', { TransactItems: [{ ConditionCheck: { Key: read } }] }, true],
    ['TransactWriteItems', { TransactItems: [{ ConditionCheck: { Key: { pk: { S: 'USER#1' } } } }] }, false],
    ['TransactGetItems', { TransactItems: [{ Get: { Key: read } }] }, true],
    ['TransactGetItems', { TransactItems: [{ Get: { Key: read } }, { Get: { Key: written } }] }, false],
    ['BatchGetItem', { RequestItems: { table: { Keys: [read] } } }, true],
    ['BatchGetItem', { RequestItems: { table: { Keys: [read, written] } } }, false],
    ['BatchWriteItem', { RequestItems: { table: [{ PutRequest: { Item: written } }] } }, true],
    ['BatchWriteItem', { RequestItems: { table: [{ DeleteRequest: { Key: read } }] } }, false],
  ])('is found among the items of a call: %s %j may be sent: %s', (operation, input, isDeclared) => {
    const check = checkTableCalls('posts', needs, openAccessRecord())
    expect(isAllowed(() => check(operation, input))).toBe(isDeclared)
  })
})

describe('a guarded client', () => {
  const TableName = 'content'
  const keyOf = (pk: string) => ({ TableName, Key: { pk: { S: pk }, sk: { S: 'x' } } })
  function open() {
    const sent: unknown[][] = []
    const client: TableClient = {
      call: async (...all) => {
        sent.push(all)
        return {}
      },
      destroy: () => sent.push(['destroyed']),
    }
    const check = checkTableCalls('posts', needsOf({ reads: ['POST'] }), openAccessRecord())
    return { client: guarded(client, check), sent }
  }

  it('does not send a call that is refused, and sends others with their options', async () => {
    const { client, sent } = open()
    const options = { requestTimeout: 1 }
    await client.call('GetItem', keyOf('POST#1'), options)
    await expect(client.call('GetItem', keyOf('USER#1'))).rejects.toThrow('not authorized')
    client.destroy()
    expect(sent).toEqual([['GetItem', keyOf('POST#1'), options], ['destroyed']])
  })
})
