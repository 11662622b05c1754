// What a change needs beside the table: its moment, its cause, and the one way to commit it.

import type { Reply } from '../http/reply.ts'
import { isoTime } from '../http/time.ts'
import { type ListChange, writeWithLists } from '../lists/counted-list.ts'
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import type { DomainEvent } from './catalogue.ts'
import { newEventId } from './event-id.ts'
import type { Message } from './message.ts'
import { outboxRow, putRow, relay } from './outbox.ts'
import type { Sender } from './sender.ts'

export type Change = {
  actions: Action[]
  /** Entries of counted lists that the change adds, moves and removes. */
  lists?: ListChange
  events?: DatedEvent[]
  messages?: Message[]
}

/** Something that happened; `atSeconds` when it was not now (a post that the clock published). */
export type DatedEvent = DomainEvent & { atSeconds?: number }

export type UnitOfWork = {
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

export function startUnitOfWork(parts: Parts): UnitOfWork {
  const { table, nowMs, siteUrl } = parts
  const commit = async (
    { actions, lists = {}, events = [], messages = [] }: Change,
    reply?: Reply,
  ): Promise<void> => {
    const fired = events.map(event => eventMessage(event, parts))
    const rows = [...fired, ...messages].map(message => outboxRow(message, nowMs))
    const kept = reply && parts.keep ? [await parts.keep(reply)] : []
    await writeWithLists(table, lists, async listActions => {
      await table.transact([...actions, ...listActions, ...rows.map(putRow), ...kept])
      if (kept.length > 0) parts.onKept?.()
      await relay(parts, rows, nowMs)
    })
  }
  return { table, nowMs, nowSeconds: Math.floor(nowMs / 1000), siteUrl, commit }
}

function eventMessage(
  { event, data, atSeconds }: DatedEvent,
  { nowMs, requestId, gatewayId = requestId }: Parts,
): Message {
  return {
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
  }
}
