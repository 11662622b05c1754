// Integer ids from atomic counters: an id may be skipped but is never used twice.
import * as z from 'zod/mini'
import type { Table } from './client.ts'
import { counterKey } from './design.ts'
import type { Counter } from './kinds.ts'

const LastId = z.object({ last: z.int() })

export async function nextId(table: Table, counter: Counter): Promise<number> {
  const update = {
    Key: counterKey(counter),
    UpdateExpression: 'ADD #last :one',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: { ':one': 1 },
  }
  return (await table.updateAndRead(update, LastId)).last
}

/** The highest id that was given; 0 if none was. */
export async function lastId(table: Table, counter: Counter): Promise<number> {
  return (await table.find(counterKey(counter), LastId))?.last ?? 0
}
