// The client of the table: typed reads through a schema, writes whose failed conditions have a meaning.
import { randomUUID } from 'node:crypto'
import type * as DynamoDB from '@aws-sdk/client-dynamodb'
import type { QueryInput, TransactWriteItemsInput, WriteRequest } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type * as z from 'zod/mini'
import { type Client, type ClientSettings, openClient } from '../aws/client.ts'
import { DYNAMODB } from '../aws/services.ts'
import {
  type Action,
  type ConditionOptions,
  conditionFailureOf,
  inTable,
  keyedIn,
  putIn,
  toAttributes,
  type Update,
  type WriteAction,
} from './action.ts'
import { slices } from './concurrency.ts'
import type { Item, Key } from './design.ts'
import { cancellationsIn, isConflict, PartialBatch, retrying } from './retrying.ts'

/** The most entries of a key range and children of a node in a counted list, before they are split. */
export type ListSizes = { range: number; node: number }

export type Table = ReturnType<typeof openTable> & {
  /** The same table without what is remembered of it. Undefined if nothing is remembered. */
  latest?: Table
}

/** The records with these keys, by their id. Those that do not exist are missing. */
export async function findById<One extends { id: number }>(
  { findMany }: Pick<Table, 'findMany'>,
  keys: Key[],
  schema: z.ZodMiniType<One>,
): Promise<Map<number, One>> {
  const found = (await findMany(keys)).map(item => schema.parse(item))
  return new Map(found.map(one => [one.id, one]))
}

/** Returns the item of each of these keys, some of which may be the same. */
export async function findItems(
  { findMany }: Pick<Table, 'findMany'>,
  keys: Key[],
): Promise<(key: Key) => Item | undefined> {
  const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`
  const distinct = new Map(keys.map(key => [nameOf(key), key]))
  const items = new Map((await findMany([...distinct.values()])).map(item => [nameOf(item), item]))
  return key => items.get(nameOf(key))
}

export const LIST_SIZES: ListSizes = { range: 32, node: 128 }
const MAX_BATCH_GET = 100
const MAX_BATCH_WRITE = 25

/**
 * Reads are strongly consistent, except those marked as eventual. `listSizes` are smaller in some tests, so
 * that few entries cause splits and merges.
 */
export function openTable(
  { call }: Pick<TableClient, 'call'>,
  TableName: string,
  listSizes: ListSizes = LIST_SIZES,
) {
  /** The item, or undefined if it does not exist. */
  const find = async <T>(key: Key, schema: z.ZodMiniType<T>): Promise<T | undefined> => {
    const get = { TableName, Key: toAttributes(key), ConsistentRead: true }
    const { Item } = await retrying(() => call('GetItem', get))
    return Item && schema.parse(unmarshall(Item))
  }

  /** The existing items of the keys, in no order. An eventual read costs half and may be a moment old. */
  const findMany = async (keys: Key[], { isEventual = false } = {}): Promise<Item[]> => {
    const batches = slices(keys, MAX_BATCH_GET)
    return (await Promise.all(batches.map(batch => batchGet(batch, !isEventual)))).flat()
  }

  const batchGet = async (keys: Key[], ConsistentRead: boolean): Promise<Item[]> => {
    const found: Item[] = []
    let Keys = keys.map(toAttributes)
    await retrying(async () => {
      const RequestItems = { [TableName]: { Keys, ConsistentRead } }
      const { Responses, UnprocessedKeys } = await call('BatchGetItem', { RequestItems })
      for (const item of Responses?.[TableName] ?? []) found.push(itemOf(unmarshall(item)))
      Keys = UnprocessedKeys?.[TableName]?.Keys ?? []
      if (Keys.length > 0) throw new PartialBatch()
    })
    return found
  }

  /** The items of a span in key order: at most `limit`, or all. */
  const query = async <T>(span: Span, schema: z.ZodMiniType<T>): Promise<T[]> => {
    const items: T[] = []
    let start: QueryInput['ExclusiveStartKey']
    do {
      const left = span.limit === undefined ? undefined : span.limit - items.length
      const page = { ...queryInput(TableName, span), Limit: left, ExclusiveStartKey: start }
      const { Items, LastEvaluatedKey } = await retrying(() => call('Query', page))
      for (const item of Items ?? []) items.push(schema.parse(unmarshall(item)))
      start = LastEvaluatedKey
    } while (start && (span.limit === undefined || items.length < span.limit))
    return items
  }

  /**
   * One write. Throws ConditionFailed with the action's meaning, even if this write itself succeeded, its
   * answer was lost and the retry failed. A caller that this would mislead uses `transact`.
   */
  const write = async (action: WriteAction): Promise<void> => {
    await conditional(action, (): Promise<unknown> => {
      if ('Put' in action) return call('PutItem', putIn(TableName, action.Put))
      if ('Update' in action) return call('UpdateItem', keyedIn(TableName, action.Update))
      return call('DeleteItem', keyedIn(TableName, action.Delete))
    })
  }

  /** One update that returns the new item. It may be applied twice if its answer is lost. */
  const updateAndRead = async <T>(update: Update, schema: z.ZodMiniType<T>): Promise<T> => {
    const answering = { ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const
    const input = { ...answering, ...keyedIn(TableName, update) }
    const { Attributes } = await conditional({}, () => call('UpdateItem', input))
    return schema.parse(Attributes && unmarshall(Attributes))
  }

  /**
   * Writes all or none of at most 100 actions, exactly once: a token identifies retries of the same
   * transaction. `renew` makes the actions again after a conflict. Throws ConditionFailed with all meanings.
   */
  const transact = async (actions: Action[], renew?: () => Action[]): Promise<void> => {
    if (actions.length === 0) return
    let latest = actions
    let input = transactionOf(TableName, actions)
    let mayBeWritten = false
    await retrying(async () => {
      try {
        await call('TransactWriteItems', input)
      } catch (error) {
        const failed = latest
        mayBeWritten ||= cancellationsIn(error) === undefined
        // Under a new token, so never after a lost answer: the first transaction may have been written.
        if (renew && !mayBeWritten && isConflict(error)) {
          latest = renew()
          input = transactionOf(TableName, latest)
        }
        throw conditionFailureOf(error, failed)
      }
    })
  }

  /** Unconditional deletes. */
  const removeMany = (keys: Key[]): Promise<void> =>
    writeMany(keys.map(key => ({ DeleteRequest: { Key: toAttributes(key) } })))

  /** Unconditional puts. */
  const putMany = (items: Item[]): Promise<void> =>
    writeMany(items.map(item => ({ PutRequest: { Item: toAttributes(item) } })))

  /** 25 a call, side by side. */
  const writeMany = async (requests: WriteRequest[]): Promise<void> => {
    await Promise.all(slices(requests, MAX_BATCH_WRITE).map(batchWrite))
  }

  const batchWrite = (requests: WriteRequest[]): Promise<void> => {
    let rest = requests
    return retrying(async () => {
      const RequestItems = { [TableName]: rest }
      const { UnprocessedItems } = await call('BatchWriteItem', { RequestItems })
      rest = UnprocessedItems?.[TableName] ?? []
      if (rest.length > 0) throw new PartialBatch()
    })
  }

  return { listSizes, find, findMany, query, write, updateAndRead, transact, removeMany, putMany }
}

/** One write until it succeeds. A failed condition has the meaning of its action. */
function conditional<T>(action: ConditionOptions, attempt: () => Promise<T>): Promise<T> {
  return retrying(() =>
    attempt().catch(error => {
      throw conditionFailureOf(error, [action])
    }),
  )
}

function transactionOf(TableName: string, actions: Action[]): TransactWriteItemsInput {
  const TransactItems = actions.map(action => inTable(TableName, action))
  return { TransactItems, ClientRequestToken: randomUUID() }
}

/** The table's key schema guarantees both attributes. */
export function itemOf(item: Record<string, unknown>): Item {
  return {
    ...item,
    pk: String(item.pk),
    sk: String(item.sk),
  }
}

export type TableOperations = {
  GetItem: [DynamoDB.GetItemInput, DynamoDB.GetItemOutput]
  BatchGetItem: [DynamoDB.BatchGetItemInput, DynamoDB.BatchGetItemOutput]
  Query: [DynamoDB.QueryInput, DynamoDB.QueryOutput]
  /** Only the operator may. */
  Scan: [DynamoDB.ScanInput, DynamoDB.ScanOutput]
  PutItem: [DynamoDB.PutItemInput, DynamoDB.PutItemOutput]
  UpdateItem: [DynamoDB.UpdateItemInput, DynamoDB.UpdateItemOutput]
  DeleteItem: [DynamoDB.DeleteItemInput, DynamoDB.DeleteItemOutput]
  BatchWriteItem: [DynamoDB.BatchWriteItemInput, DynamoDB.BatchWriteItemOutput]
  TransactWriteItems: [DynamoDB.TransactWriteItemsInput, DynamoDB.TransactWriteItemsOutput]
}
export type TableClient = Client<TableOperations>

export function connect(settings: ClientSettings): TableClient {
  return openClient<TableOperations>(DYNAMODB, settings)
}

export type Span = {
  pk: string
  /** Bounds of the sort key, both inclusive. Not combined with `beginsWith`. */
  from?: string
  to?: string
  /** An exclusive upper bound. Not combined with other bounds. */
  before?: string
  beginsWith?: string
  descending?: boolean
  limit?: number
  /** Returns only these attributes, at the same cost. */
  only?: string[]
}

/** The Query of a span. It is strongly consistent. */
function queryInput(TableName: string, span: Span): QueryInput {
  const bound = boundOf(span)
  return {
    TableName,
    ConsistentRead: true,
    ScanIndexForward: !span.descending,
    KeyConditionExpression: bound.condition ? `#pk = :pk AND ${bound.condition}` : '#pk = :pk',
    ProjectionExpression: span.only?.map((_, n) => `#a${n}`).join(', '),
    ExpressionAttributeNames: {
      '#pk': 'pk',
      ...(bound.condition && { '#sk': 'sk' }),
      ...Object.fromEntries((span.only ?? []).map((name, n) => [`#a${n}`, name])),
    },
    ExpressionAttributeValues: toAttributes({ ':pk': span.pk, ...bound.values }),
  }
}

function boundOf({ from, to, before, beginsWith }: Span) {
  if (beginsWith !== undefined) return { condition: 'begins_with(#sk, :b)', values: { ':b': beginsWith } }
  if (before !== undefined) return { condition: '#sk < :before', values: { ':before': before } }
  if (from !== undefined && to !== undefined) {
    return { condition: '#sk BETWEEN :from AND :to', values: { ':from': from, ':to': to } }
  }
  if (from !== undefined) return { condition: '#sk >= :from', values: { ':from': from } }
  if (to !== undefined) return { condition: '#sk <= :to', values: { ':to': to } }
  return { condition: '', values: {} }
}

/** Returns a function that gives the state of a table, created on first use. */
export function perTable<State extends object>(make: (table: Table) => State): (table: Table) => State {
  const states = new WeakMap<Table, State>()
  return table => {
    const state = states.get(table) ?? make(table)
    states.set(table, state)
    return state
  }
}
