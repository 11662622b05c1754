// Keeps events that are due to a subscription, so that their deliveries can be shown and sent again.
import type { EventMessage } from '../../events/message.ts'
import type { WriteAction } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { combine } from '../../table/combine.ts'
import { ignoreConditionFailed } from '../../table/conditions.ts'
import { eventKey } from '../../table/design.ts'
import type { Item } from '../../table/key.ts'
import { perTable } from '../../table/per-table.ts'
import { packBytes } from '../packed.ts'
import { sizeOf, UNIT_BYTES } from '../record-size.ts'
import { eventExpires, sentEvent } from '../sent-event.ts'

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

const extendersOf = perTable(table =>
  combine(async (all: { id: string; expires: number }[]) => {
    const latest = new Map(all.map(({ id, expires }) => [id, expires]))
    await Promise.all(
      [...latest].map(([id, expires]) => table.write(extend(id, expires)).catch(ignoreConditionFailed)),
    )
    return all
  }),
)

/** For a delivery that is shown longer than its event. If it fails, the log only loses the body earlier. */
export async function keepEventLonger(table: Table, id: string, expires: number): Promise<void> {
  await extendersOf(table)({ id, expires }).catch(() => undefined)
}

/** An event that was erased stays erased. */
function extend(id: string, expires: number): WriteAction {
  return {
    Update: {
      Key: eventKey(id),
      UpdateExpression: 'SET expires = :expires',
      ConditionExpression: 'expires < :expires',
      ExpressionAttributeValues: { ':expires': expires },
    },
  }
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
    expires: eventExpires(nowMs),
    schema: 1,
  }
  return { ...item, body: packBytes(body, UNIT_BYTES - sizeOf(item)) }
}
