// Integer ids from atomic counters: an id may be skipped but is never used twice.
import * as z from 'zod/mini'
import { perTable, type Table } from './client.ts'
import { openGroups } from './concurrency.ts'
import { counterKey } from './design.ts'
import type { Counter } from './kinds.ts'

const LastId = z.object({ last: z.int() })

const groupsOf = perTable(() => openGroups<number>())

/** Calls that come while another one runs take their ids by one update. */
export async function nextId(table: Table, counter: Counter): Promise<number> {
  const take = async (size: number) => {
    const update = {
      Key: counterKey(counter),
      UpdateExpression: 'ADD #last :size',
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':size': size },
    }
    return (await table.updateAndRead(update, LastId)).last - size + 1
  }
  const { value: first, place } = await groupsOf(table)(counter, take)
  return first + place
}

/** The highest id that was given; 0 if none was. */
export async function lastId(table: Table, counter: Counter): Promise<number> {
  return (await table.find(counterKey(counter), LastId))?.last ?? 0
}
