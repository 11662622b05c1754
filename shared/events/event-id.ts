// Ids of events, outbox rows and mails: they sort by time and cannot be guessed.
import { randomBytes } from 'node:crypto'

/** `evt_`, 12 hex digits of milliseconds, 20 random ones. No dot, which separates parts of signatures. */
export function newEventId(nowMs: number): string {
  return `${eventIdAt(nowMs)}${randomBytes(10).toString('hex')}`
}

/** Sorts before the ids of this millisecond, and after those before. A time before 1970 counts as 1970. */
export function eventIdAt(ms: number): string {
  return `evt_${Math.max(0, ms).toString(16).padStart(12, '0')}`
}

/** The creation time of an id, in epoch milliseconds. */
export function timeOfEventId(eventId: string): number {
  return Number.parseInt(eventId.slice(4, 16), 16)
}
