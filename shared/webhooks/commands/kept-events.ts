// Keeps events that are due to a subscription, so that their deliveries can be shown and sent again.
import type { EventMessage } from '../../events/message.ts'
import type { Table } from '../../table/client.ts'
import { combine } from '../../table/combine.ts'
import { eventKey } from '../../table/design.ts'
import type { Item } from '../../table/key.ts'
import { perTable } from '../../table/per-table.ts'
import { packBytes } from '../packed.ts'
import { sizeOf, UNIT_BYTES } from '../record-size.ts'
import { RETENTION_SECONDS, sentEvent } from '../sent-event.ts'

/** A message may wait for four days, and for two weeks as a dead letter, before it is delivered. */
const LONGEST_WAIT_SECONDS = 18 * 24 * 60 * 60

const keepersOf = perTable(table =>
  combine(async (items: Item[]) => {
    await table.putMany([...new Map(items.map(item => [item.pk, item])).values()])
    return items
  }),
)

/** Always writes the same, so it may be repeated. Events that are kept together share a call. */
export async function keepEvent(table: Table, event: EventMessage, nowMs: number): Promise<void> {
  await keepersOf(table)(itemOf(event, nowMs))
}

/** One write unit, unless its texts are very long. */
function itemOf(event: EventMessage, nowMs: number): Item {
  const {
    id,
    event: name,
    occurred_at,
    happened_ms,
    request_id,
    gateway_request_id,
    resource,
    body,
  } = { ...event, ...sentEvent(event) }
  const item = {
    ...eventKey(id),
    event: name,
    occurred_at,
    happened_ms,
    request_id,
    gateway_request_id,
    resource,
    expires: Math.ceil(nowMs / 1000) + RETENTION_SECONDS + LONGEST_WAIT_SECONDS,
    schema: 1,
  }
  return { ...item, body: packBytes(body, UNIT_BYTES - sizeOf(item)) }
}
