// A replay: deliveries of a subscription that are sent again together, and which ones they are. No I/O.
import * as z from 'zod/mini'
import { eventIdAt } from '../events/event-id.ts'
import { parseTime } from '../http/time.ts'
import type { AttemptRecord } from './attempt.ts'
import { Int, Text } from './fields.ts'
import { hasEnded, latestStatus } from './redelivery.ts'

/** So many deliveries are on their way at once: those of others wait little, and a slow receiver gets few. */
export const WINDOW = 5
/** A replay that looks at more deliveries is refused. */
export const MAX_LOOKED_AT = 10_000

const Choice = z.object({
  /** About the events, both inclusive. */
  since: Int,
  until: Int,
  status: z.enum(['failed', 'all']),
  events: z.nullable(z.array(Text)),
})
export type Choice = z.infer<typeof Choice>

const Asked = z.object({ event_id: Text, attempt: Int, sk: Text })

export const ReplayRecord = z.extend(Choice, {
  id: Text,
  webhook_id: Int,
  owner_id: Int,
  /** Each step is done once. */
  step: Int,
  /** The sort key of the last delivery that was looked at. */
  position: Text,
  /** The attempts of the last step, which it waits for. */
  asked: z.array(Asked),
  expires: Int,
})
export type ReplayRecord = z.infer<typeof ReplayRecord>

/** An event of a scheduled post gets its id when it is announced, which may be later than it happened. */
const LATEST_ANNOUNCEMENT_SECONDS = 15 * 60

/** The bounds of the sort keys. */
export function boundsOf({ since, until }: Choice): { from: string; to: string } {
  return {
    from: eventIdAt(since * 1000),
    to: eventIdAt((until + 1 + LATEST_ANNOUNCEMENT_SECONDS) * 1000),
  }
}

/** Whether the delivery is sent again, given its first attempt: it failed if its latest attempt did. */
export function isChosen(first: AttemptRecord, { since, until, status, events }: Choice): boolean {
  const seconds = parseTime(first.occurred_at) ?? 0
  return (
    first.attempt === 1 &&
    seconds >= since &&
    seconds <= until &&
    hasEnded(first) &&
    (status === 'all' || latestStatus(first) === 'failed') &&
    (events === null || events.includes(first.event))
  )
}
