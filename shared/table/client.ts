// The table as the stores see it: typed reads through a schema, writes that say what their refusal means.
import type { BatchWriteCommandInput, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { z } from 'zod'
import { type Action, refusalOf, type Simple, type Update } from './action.ts'
import { type Item, itemOf, type Key } from './key.ts'
import { SIZES, type Sizes } from './list.ts'
import { retrying } from './retrying.ts'
import { queryInput, type Span } from './span.ts'

export type Table = ReturnType<typeof openTable>

type BatchRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string]

const MAX_BATCH_GET = 100
const MAX_BATCH_WRITE = 25

/**
 * Reads are strongly consistent but where the caller says otherwise, and those of an index, which cannot be. `listSizes` of counted lists may be
 * small in tests, so that few entries suffice for splits and merges.
 */
export const openTable = (client: DynamoDBDocumentClient, tableName: string, listSizes: Sizes = SIZES) => {
  const TableName = tableName

  /** The item, or undefined where there is none. */
  const find = async <T>(key: Key, schema: z.ZodType<T>): Promise<T | undefined> => {
    const { Item: item } = await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }))
    return item && schema.parse(item)
  }

  /** The raw items among the keys that exist, in no order; a moment old where they may be, at half the price. */
  const findMany = async (keys: Key[], { isEventual = false } = {}): Promise<Item[]> => {
    const batches = slices(keys, MAX_BATCH_GET)
    return (await Promise.all(batches.map(batch => batchGet(batch, !isEventual)))).flat()
  }

  const batchGet = async (keys: Key[], ConsistentRead: boolean): Promise<Item[]> => {
    const found: Item[] = []
    let rest: Key[] = keys
    await retrying(async () => {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys: rest, ConsistentRead } } }),
      )
      for (const item of Responses?.[TableName] ?? []) found.push(itemOf(item))
      rest = (UnprocessedKeys?.[TableName]?.Keys ?? []).map(itemOf)
      return rest.length === 0
    })
    return found
  }

  /** The items of a span in key order, as many as `limit` says or all of them. */
  const query = async <T>(span: Span, schema: z.ZodType<T>): Promise<T[]> => {
    const items: T[] = []
    let start: Record<string, unknown> | undefined
    do {
      const left = span.limit === undefined ? undefined : span.limit - items.length
      const { Items, LastEvaluatedKey } = await client.send(
        new QueryCommand({ ...queryInput(TableName, span), Limit: left, ExclusiveStartKey: start }),
      )
      for (const item of Items ?? []) items.push(schema.parse(item))
      start = LastEvaluatedKey
    } while (start && (span.limit === undefined || items.length < span.limit))
    return items
  }

  /** One write. Throws Refused with the action's `refused` when its condition does not hold. */
  const write = async (action: Simple): Promise<void> => {
    await retrying(async () => {
      try {
        if ('Put' in action) await client.send(new PutCommand({ TableName, ...action.Put }))
        else if ('Update' in action) await client.send(new UpdateCommand({ TableName, ...action.Update }))
        else await client.send(new DeleteCommand({ TableName, ...action.Delete }))
      } catch (error) {
        throw refusalOf(error, [action])
      }
      return true
    })
  }

  /** One conditional update that answers with the item after it, or with what stood in its way. */
  const updateAndRead = async <T>(update: Update, schema: z.ZodType<T>): Promise<T> => {
    let after: T | undefined
    await retrying(async () => {
      try {
        const { Attributes } = await client.send(
          new UpdateCommand({
            TableName,
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            ...update,
          }),
        )
        after = schema.parse(Attributes)
      } catch (error) {
        throw refusalOf(error, [{}])
      }
      return true
    })
    return schema.parse(after)
  }

  /** All of it or nothing, at most 100 actions. Throws Refused with what each failed condition means. */
  const transact = async (actions: Action[]): Promise<void> => {
    if (actions.length === 0) return
    const TransactItems = actions.map(action => withTable(TableName, action))
    await retrying(async () => {
      try {
        await client.send(new TransactWriteCommand({ TransactItems }))
      } catch (error) {
        throw refusalOf(error, actions)
      }
      return true
    })
  }

  /** Unconditional deletes, 25 a call, side by side. */
  const removeMany = async (keys: Key[], deadlineMs?: number): Promise<void> => {
    const deletes = keys.map(key => ({ DeleteRequest: { Key: key } }))
    await Promise.all(slices(deletes, MAX_BATCH_WRITE).map(slice => batchWrite(slice, deadlineMs)))
  }

  /** Unconditional puts, 25 a call, side by side. */
  const putMany = async (items: Item[]): Promise<void> => {
    const puts = items.map(item => ({ PutRequest: { Item: item } }))
    await Promise.all(slices(puts, MAX_BATCH_WRITE).map(slice => batchWrite(slice)))
  }

  const batchWrite = async (requests: BatchRequests, deadlineMs?: number): Promise<void> => {
    let rest = requests
    await retrying(async () => {
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [TableName]: rest } }),
      )
      rest = UnprocessedItems?.[TableName] ?? []
      return rest.length === 0
    }, deadlineMs)
  }

  return { listSizes, find, findMany, query, write, updateAndRead, transact, removeMany, putMany }
}

const withTable = (TableName: string, action: Action) => {
  if ('Put' in action) return { Put: { TableName, ...action.Put } }
  if ('Update' in action) return { Update: { TableName, ...action.Update } }
  if ('Delete' in action) return { Delete: { TableName, ...action.Delete } }
  return { ConditionCheck: { TableName, ...action.ConditionCheck } }
}

const slices = <T>(all: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
