// Integer ids: one atomic counter per kind. Gaps are allowed, repeats are not.
import * as z from 'zod/mini'
import type { Table } from './client.ts'
import { counterKey } from './design.ts'

const Counter = z.object({ last: z.int() })

export const COUNTED = [
  'post',
  'category',
  'comment',
  'user',
  'token',
  'webhook',
  'submission',
  'ticket',
  'ticket-reply',
  'subscriber',
] as const

export async function nextId(table: Table, kind: (typeof COUNTED)[number]) {
  const update = {
    Key: counterKey(kind),
    UpdateExpression: 'ADD #last :one',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: { ':one': 1 },
  }
  return (await table.updateAndRead(update, Counter)).last
}
