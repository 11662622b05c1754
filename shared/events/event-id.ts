// Ids of events: in order of time, and unguessable in the rest.
import { randomBytes } from 'node:crypto'

/** `evt_` + 12 hex digits of milliseconds + 20 random ones; never a dot, which signatures join with. */
export function newEventId(nowMs: number): string {
  return `evt_${nowMs.toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`
}

/** When an id was made, in epoch milliseconds. */
export function momentOf(eventId: string): number {
  return Number.parseInt(eventId.slice(4, 16), 16)
}
