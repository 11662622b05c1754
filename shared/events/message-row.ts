// A message carries the key of its outbox row. The worker that receives the message deletes the row.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import { outboxPartitions } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import type { Message } from './message.ts'

/** The schemas of all messages accept unknown members, so versions without one read the message. */
const WithRow = z.object({ outbox_row: z.object({ pk: z.enum(outboxPartitions()), sk: z.string() }) })

/** The body as a queue gets it. */
export function bodyWithRow({ body, row }: Message): unknown {
  return { ...body, schema: 1, ...(row && { outbox_row: row }) }
}

/** The run of a worker does not end before its deletes do. */
const TIMEOUT_MS = 1_000

type Context = {
  table: Table
  log: (level: 'warn', message: string, details: Record<string, unknown>) => void
}

/**
 * Deletes the rows of received messages: a queue keeps what it has handed out until a worker is done with it,
 * so a message that fails, even for good, needs no row either. Never throws: the sweep deletes what is left.
 */
export async function removeRows({ table, log }: Context, received: { body: string }[]): Promise<void> {
  const keys = new Map(received.flatMap(({ body }) => rowIn(body)).map(row => [`${row.pk} ${row.sk}`, row]))
  if (keys.size === 0) return
  await table
    .removeMany([...keys.values()], TIMEOUT_MS)
    .catch(problem => log('warn', 'outbox rows could not be deleted', { problem: String(problem) }))
}

/** The key in a body, if it has one. Any other worker or tool may have sent the message. */
function rowIn(body: string): Key[] {
  try {
    const { success, data } = WithRow.safeParse(JSON.parse(body))
    return success ? [data.outbox_row] : []
  } catch {
    return []
  }
}
