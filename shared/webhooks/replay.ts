// A replay: deliveries of a subscription that are sent again together, and which ones they are. No I/O.
import * as z from 'zod/mini'
import { eventIdAt } from '../events/event-id.ts'
import { LONGEST_DELAY_SECONDS } from '../events/message.ts'
import { parseTime } from '../http/time.ts'
import type { AttemptRecord } from './attempt.ts'
import { LEASE_MS } from './delivery.ts'
import { Int, Text } from './fields.ts'
import { hasEnded, latestStatus } from './redelivery.ts'

/** A replay that looks at more deliveries is refused. */
export const MAX_LOOKED_AT = 10_000

/** The replays of all owners take turns: each takes a step in a second that it has reserved. */
export const ReplayTurn = z.object({
  /** Which replay took the last step, and when. */
  webhook_id: Int,
  taken_ms: Int,
  /** The first moment that none has reserved. */
  free_ms: Int,
})
export type ReplayTurn = z.infer<typeof ReplayTurn>
export const NO_TURN: ReplayTurn = { webhook_id: 0, taken_ms: 0, free_ms: 0 }

const STEP_MS = 1_000
/** Messages are late by different times, so a step may follow sooner than the reservations say. */
const SHORTEST_GAP_MS = 500

/** How the last step keeps another replay from taking one: `holds` while its attempts have not ended. */
export function stateOfTurn({ taken_ms }: ReplayTurn, nowMs: number): 'free' | 'holds' | 'taken' {
  // Also if it was taken by a clock that was ahead.
  const apartMs = Math.abs(nowMs - taken_ms)
  if (apartMs < SHORTEST_GAP_MS) return 'taken'
  return apartMs > LEASE_MS ? 'free' : 'holds'
}

/** Reserves the next free second, at most the longest delay of a message ahead. */
export function reserveStep(
  { free_ms }: ReplayTurn,
  nowMs: number,
): { delaySeconds: number; free_ms: number } {
  const atMs = Math.max(nowMs + STEP_MS, Math.min(free_ms, nowMs + LONGEST_DELAY_SECONDS * 1000))
  return { delaySeconds: Math.floor((atMs - nowMs) / 1000), free_ms: atMs + STEP_MS }
}

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
