// Keeps events that are due to a subscription, so that their deliveries can be shown and sent again.
import type { EventMessage } from '../../events/message.ts'
import type { WriteAction } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { eventKey } from '../../table/design.ts'
import type { Item } from '../../table/key.ts'
import { packBytes } from '../packed.ts'
import { sizeOf, UNIT_BYTES } from '../record-size.ts'
import { eventExpires, sentEvent } from '../sent-event.ts'

/** Always writes the same, so it may be repeated. */
export async function keepEvent(table: Table, event: EventMessage, nowMs: number): Promise<void> {
  await table.write({ Put: { Item: itemOf(event, nowMs) } })
}

/** For a delivery that is shown longer than its event. If it fails, the log only loses the body earlier. */
export async function keepEventLonger(table: Table, id: string, expires: number): Promise<void> {
  await table.write(extend(id, expires)).catch(() => undefined)
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
