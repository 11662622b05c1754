// Reads events that were kept for their deliveries.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { eventKey } from '../../table/design.ts'
import { Int, Resource, Text } from '../fields.ts'
import { unpackBytes } from '../packed.ts'
import { isLogged, type SentEvent } from '../sent-event.ts'

const KeptEvent = z.object({
  pk: Text,
  event: Text,
  occurred_at: Text,
  request_id: Text,
  gateway_request_id: z.optional(Text),
  resource: z.optional(Resource),
  body: z.instanceof(Uint8Array),
  expires: Int,
})

/** By their ids. An event that has left the log is missing. */
export async function findEvents(
  table: Table,
  ids: string[],
  nowMs: number,
): Promise<Map<string, SentEvent>> {
  const keys = [...new Set(ids)].map(id => [eventKey(id).pk, id] as const)
  const idOf = new Map(keys)
  const items = (await table.findMany(keys.map(([, id]) => eventKey(id)))).map(item => KeptEvent.parse(item))
  return new Map(
    items
      .filter(item => isLogged(item, nowMs))
      .map(({ pk, body, ...event }): [string, SentEvent] => {
        const id = idOf.get(pk) ?? ''
        return [id, { ...event, id, body: unpackBytes(body) }]
      }),
  )
}
