// The body of a delivery: the same bytes for every subscription, and for every attempt. No I/O.
import { EVENTS } from '../events/catalogue.ts'
import type { EventMessage } from '../events/message.ts'

/** Events by their message, which several deliveries share. */
const bodies = new WeakMap<EventMessage, Uint8Array>()

/** Returns the same bytes for each delivery, so that the signed bytes are the sent bytes. */
export function bodyOf(message: EventMessage): Uint8Array {
  const body = bodies.get(message) ?? Buffer.from(textOf(message))
  bodies.set(message, body)
  return body
}

function textOf({ event, occurred_at, data }: EventMessage): string {
  return JSON.stringify({ event, occurred_at, data: inOrder(event, data) })
}

/**
 * In the order of the catalogue: an event that the sweep sends again comes out of the table, which keeps no
 * order of members, and its bytes must be those of the first message.
 */
function inOrder(event: string, data: EventMessage['data']): EventMessage['data'] {
  const catalogue: Record<string, { sample: object } | undefined> = EVENTS
  const declared = Object.keys(catalogue[event]?.sample ?? {}).filter(name => name in data)
  const others = Object.keys(data).filter(name => !declared.includes(name))
  return Object.fromEntries([...declared, ...others.toSorted()].map(name => [name, data[name]]))
}
