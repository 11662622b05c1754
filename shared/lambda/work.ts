// What a change needs beside the table: its moment, its cause, and the one way to commit it.

import type { Happening } from '../events/catalogue.ts'
import { newEventId } from '../events/event-id.ts'
import type { Message } from '../events/message.ts'
import { outboxRow, putRow, relay } from '../events/outbox.ts'
import type { Sender } from '../events/sender.ts'
import type { Reply } from '../http/reply.ts'
import { isoTime } from '../http/time.ts'
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'

export type Change = {
  actions: Action[]
  happenings?: Occurrence[]
  messages?: Message[]
}

/** Something that happened; `atSeconds` when it was not now (a post that the clock published). */
export type Occurrence = Happening & { atSeconds?: number }

export type Work = {
  table: Table
  nowMs: number
  nowSeconds: number
  /** Base of every public URL, without a slash at its end. */
  siteUrl: () => Promise<string>
  /**
   * Writes the change, its events and messages, and the kept answer, all or nothing; then hands the messages
   * to their queues. Throws Refused with the meaning of each condition that did not hold.
   */
  commit: (change: Change, reply?: Reply) => Promise<void>
}

type Parts = {
  table: Table
  sender: Sender
  nowMs: number
  requestId: string
  gatewayId?: string
  siteUrl: () => Promise<string>
  log: (problem: unknown) => void
  /** Adds the kept answer of an idempotent request. */
  keep?: ((reply: Reply) => Promise<Action>) | undefined
  onKept?: () => void
}

export const startWork = (parts: Parts): Work => {
  const { table, nowMs, siteUrl } = parts
  const commit = async (
    { actions, happenings = [], messages = [] }: Change,
    reply?: Reply,
  ): Promise<void> => {
    const events = happenings.map(happening => eventMessage(happening, parts))
    const rows = [...events, ...messages].map(message => outboxRow(message, nowMs))
    const kept = reply && parts.keep ? [await parts.keep(reply)] : []
    await table.transact([...actions, ...rows.map(putRow), ...kept])
    if (kept.length > 0) parts.onKept?.()
    await relay(parts, rows, nowMs)
  }
  return { table, nowMs, nowSeconds: Math.floor(nowMs / 1000), siteUrl, commit }
}

const eventMessage = (
  { event, data, atSeconds }: Occurrence,
  { nowMs, requestId, gatewayId = requestId }: Parts,
): Message => ({
  queue: 'events',
  body: {
    kind: 'event',
    id: newEventId(nowMs),
    event,
    occurred_at: isoTime(atSeconds ?? Math.floor(nowMs / 1000)),
    happened_ms: atSeconds === undefined ? nowMs : atSeconds * 1000,
    request_id: requestId,
    ...(gatewayId !== requestId && { gateway_request_id: gatewayId }),
    data,
  },
})
