// What a function may do in the local run: what shared/service/ declares for it, and nothing else.
import { describe, expect, it } from 'vitest'
import { checkQueueCalls, checkTableCalls, guarded, openAccessRecord } from '../../infra/local/access.ts'
import { queueUrlOf } from '../../infra/local/account.ts'
import { QUEUE_NAMES, type QueueName } from '../../shared/events/message.ts'
import { type Access, listsOf, partitionsOf, permissionsOf } from '../../shared/service/permissions.ts'
import type { TableClient } from '../../shared/table/client.ts'
import { KINDS, type Kind, type RecordKind } from '../../shared/table/kinds.ts'

function isRecordKind(kind: string): kind is Exclude<Kind, 'LIST'> {
  return kind !== 'LIST'
}
const RECORD_KINDS: RecordKind[] = [
  ...Object.keys(KINDS).filter(isRecordKind),
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
const DECLARATIONS: (keyof Access)[] = ['reads', 'writes', 'puts', 'updates']

/** The key of a record of this kind. */
function pkOf(kind: RecordKind): string {
  return (partitionsOf(kind).at(-1) ?? '').replace('*', '1')
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

describe('a function', () => {
  it.each(CALLS)('may call %s only if it declares %j', (operation, allowedBy) => {
    for (const declaration of DECLARATIONS) {
      const record = openAccessRecord()
      const check = checkTableCalls('posts', permissionsOf({ [declaration]: ['POST'] }), record)
      const may = allowedBy.includes(declaration)
      expect([declaration, isAllowed(() => check(operation, inputOf(operation, 'POST#1')))]).toEqual([
        declaration,
        may,
      ])
      expect([record.granted.size, record.used.size, record.denied.length]).toEqual(
        may ? [1, 1, 0] : [1, 0, 1],
      )
    }
  })

  it.each(RECORD_KINDS)('may read no other kind of record if it declares %s', kind => {
    const check = checkTableCalls('posts', permissionsOf({ reads: [kind] }), openAccessRecord())
    const readable = RECORD_KINDS.filter(other =>
      isAllowed(() => check('GetItem', inputOf('GetItem', pkOf(other)))),
    )
    expect(readable).toEqual([kind])
  })

  it('may send to the queues that it declares only, and put off messages of the one that it consumes', () => {
    const record = openAccessRecord()
    const declared: { sends: QueueName[]; consumes: QueueName } = {
      sends: ['events', 'jobs'],
      consumes: 'index',
    }
    const check = checkQueueCalls('posts', declared, record)
    const allowedFor = (operation: string) =>
      QUEUE_NAMES.filter(queue =>
        isAllowed(() => check(operation, { QueueUrl: queueUrlOf('http://127.0.0.1', queue) })),
      )
    expect(allowedFor('SendMessageBatch').toSorted()).toEqual(['events', 'jobs'])
    expect(allowedFor('ChangeMessageVisibilityBatch')).toEqual(['index'])
    expect(allowedFor('PurgeQueue')).toEqual([])
    expect([...record.used].sort()).toEqual([...record.granted].sort())
  })
})

describe('a call that is not declared', () => {
  const access = permissionsOf({ reads: ['POST'], writes: ['SLUG'] })

  it('is refused in the words of AWS, and recorded', () => {
    const record = openAccessRecord()
    const check = checkTableCalls('posts', access, record)
    const message =
      'User: arn:aws:sts::000000000000:assumed-role/posts is not authorized to perform: dynamodb:PutItem on resource: a record with the key POST#1, because shared/service/ does not declare it'
    const put = () => check('PutItem', inputOf('PutItem', 'POST#1'))
    expect(put).toThrow(expect.objectContaining({ name: 'AccessDeniedException', message }))
    expect(record).toEqual({
      granted: new Set(['posts: reads POST', 'posts: writes SLUG']),
      used: new Set(),
      denied: [message],
    })
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
    ['BatchGetItem', { RequestItems: { table: { Keys: [read] } } }, true],
    ['BatchGetItem', { RequestItems: { table: { Keys: [read, written] } } }, false],
    ['BatchWriteItem', { RequestItems: { table: [{ PutRequest: { Item: written } }] } }, true],
    ['BatchWriteItem', { RequestItems: { table: [{ DeleteRequest: { Key: read } }] } }, false],
  ])('is found among the items of a call: %s %j may be sent: %s', (operation, input, isDeclared) => {
    const check = checkTableCalls('posts', access, openAccessRecord())
    expect(isAllowed(() => check(operation, input))).toBe(isDeclared)
  })

  it('is not sent, while others are, with their options', async () => {
    const sent: unknown[][] = []
    const client: TableClient = {
      call: async (...all) => {
        sent.push(all)
        return {}
      },
      destroy: () => sent.push(['destroyed']),
    }
    const { call, destroy } = guarded(client, checkTableCalls('posts', access, openAccessRecord()))
    const inputFor = (pk: string) => ({ TableName: 'content', Key: { pk: { S: pk }, sk: { S: 'x' } } })
    const options = { requestTimeout: 1 }
    await call('GetItem', inputFor('POST#1'), options)
    await expect(call('GetItem', inputFor('USER#1'))).rejects.toThrow('not authorized')
    destroy()
    expect(sent).toEqual([['GetItem', inputFor('POST#1'), options], ['destroyed']])
  })
})
