// An event as deliveries send and log it: the same bytes for every subscription and attempt. No I/O.
import { BATCH, BATCH_EVENT, EVENTS } from '../events/catalogue.ts'
import type { EventMessage } from '../events/message.ts'
import { expiryOf } from './delivery.ts'
import type { Resource } from './fields.ts'

export type LoggedEvent = Pick<
  EventMessage,
  'id' | 'event' | 'occurred_at' | 'request_id' | 'gateway_request_id'
> & {
  resource?: Resource | undefined
  /** When it leaves the log, with its deliveries. */
  expires: number
}
/** `isOwn`: the body is that of one subscription. */
export type SentEvent = LoggedEvent & { body: string; isOwn?: boolean }

export function sentEvent(message: EventMessage): SentEvent {
  const { id, event, occurred_at, request_id, gateway_request_id } = message
  const logged = { id, event, occurred_at, request_id, gateway_request_id, expires: expiryOf(id) }
  return { ...logged, resource: resourceOf(message), body: bodyOf(message) }
}

/** Exactly what is signed and sent. */
export function bodyOf({ event, occurred_at, data }: EventMessage): string {
  return JSON.stringify({ event, occurred_at, data: inOrder(event, data) })
}

/**
 * In the order of the catalogue: an event that the sweep sends again comes out of the table, which keeps no
 * order of members, and its bytes must be those of the first message.
 */
function inOrder(event: string, data: EventMessage['data']): EventMessage['data'] {
  const catalogue: Record<string, { sample: object } | undefined> = { ...EVENTS, [BATCH_EVENT]: BATCH }
  const declared = Object.keys(catalogue[event]?.sample ?? {}).filter(name => name in data)
  const others = Object.keys(data).filter(name => !declared.includes(name))
  return Object.fromEntries([...declared, ...others.toSorted()].map(name => [name, sorted(data[name])]))
}

/** Members of members stand by name. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

const TYPES: Record<string, string> = { newsletter: 'subscriber', test: 'webhook', batch: 'webhook' }

/** The record that the event is about. Pages have events of posts as well. */
export function resourceOf({ event, data }: Pick<EventMessage, 'event' | 'data'>): Resource | undefined {
  const { id, content_type } = data
  if (typeof id !== 'number') return undefined
  const [kind = ''] = event.split('.')
  return { type: typeof content_type === 'string' ? content_type : (TYPES[kind] ?? kind), id }
}
