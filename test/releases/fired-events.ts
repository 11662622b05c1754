// The events of all committed writes, from the calls that reach the table: each must be delivered.
import * as z from 'zod/mini'
import type { Interceptor } from '../world/faults/call.ts'

/** A row of the outbox with an event, in the JSON of DynamoDB. */
const EventRow = z.object({
  queue: z.object({ S: z.literal('events') }),
  body: z.object({
    M: z.object({ kind: z.object({ S: z.literal('event') }), id: z.object({ S: z.string() }) }),
  }),
})

/** Give its interceptor after those that inject faults: it sees what the table itself answers. */
export function watchEvents() {
  const fired = new Set<string>()
  const interceptor: Interceptor = async (call, next) => {
    const answer = await next(call)
    if (call.service === 'dynamodb' && answer.status === 200) {
      for (const id of eventsIn(call.body.toString())) fired.add(id)
    }
    return answer
  }
  return { fired, interceptor }
}

function eventsIn(body: string): string[] {
  const ids: string[] = []
  JSON.parse(body, (_, value: unknown) => {
    const row = EventRow.safeParse(value)
    if (row.success) ids.push(row.data.body.M.id.S)
    return value
  })
  return ids
}
