// Reads the log of a subscription's deliveries, newest or oldest first, and the events that it keeps.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { deliveriesPartition, deliveryKey, eventKey } from '../../table/design.ts'
import { type AttemptRecord, attemptOf, isLogged, parseId } from '../delivery.ts'
import type { SentEvent } from '../event.ts'
import { Int, Resource, Text } from '../fields.ts'

const AnyItem = z.looseObject({ sk: z.string() })

/** One answer may read so many records. */
const MAX_READ = 1_000
const FILTERED_PAGE = 250

export type LogQuery = {
  webhookId: number
  nowMs: number
  limit: number
  /** Bounds of the sort key. `to` is inclusive, `after` exclusive. */
  from?: string | undefined
  to?: string | undefined
  after?: string | undefined
  isWanted?: ((attempt: AttemptRecord) => boolean) | undefined
  /** How many are read at once with a filter. */
  page?: number
}

/** `next`: the sort key after which the list goes on; null at its end. */
export type LogPage = { attempts: AttemptRecord[]; next: string | null }

/** Newest first. With a filter there may be fewer than `limit`, and more behind `next`. */
export async function listAttempts(table: Table, query: LogQuery): Promise<LogPage> {
  const { nowMs, limit, after, isWanted, page: filtered = FILTERED_PAGE } = query
  const attempts: AttemptRecord[] = []
  let position = after
  for (let read = 0; read < MAX_READ; ) {
    const most = isWanted ? Math.min(filtered, MAX_READ - read) : limit + 1 - attempts.length
    const page = await readBefore(table, query, position, most)
    read += page.length
    for (const attempt of page) {
      if (isLogged(attempt, nowMs) && (isWanted?.(attempt) ?? true)) {
        if (attempts.length === limit) return { attempts, next: position ?? null }
        attempts.push(attempt)
      }
      position = attempt.sk
    }
    if (page.length < most) return { attempts, next: null }
  }
  return { attempts, next: position ?? null }
}

/** Sorts after every id. */
const LAST = '~'

async function readBefore(
  table: Table,
  { webhookId, nowMs, from = '', to = LAST }: LogQuery,
  position: string | undefined,
  most: number,
): Promise<AttemptRecord[]> {
  const end = position === undefined || position > to ? to : position
  if (from > end) return []
  // The bound is inclusive, so the position itself is read as well.
  const limit = end === position ? most + 1 : most
  const pk = deliveriesPartition(webhookId)
  const span = { pk, to: end, descending: true, limit, ...(from !== '' && { from }) }
  const page = await table.query(span, AnyItem)
  return page
    .filter(({ sk }) => sk !== position)
    .slice(0, most)
    .map(item => attemptOf(item, nowMs))
}

/** So many of the last attempts show the state of a receiver. */
export const RECENT = 20

/** The last attempts that ended, newest first. */
export async function listRecent(table: Table, webhookId: number, nowMs: number): Promise<AttemptRecord[]> {
  const isWanted = ({ status }: AttemptRecord) => status === 'succeeded' || status === 'failed'
  const query = { webhookId, nowMs, limit: RECENT, isWanted, page: RECENT + SPARE }
  return (await listAttempts(table, query)).attempts
}

/** Usually so many of the newest attempts have not ended. */
const SPARE = 5

export type OldestQuery = { webhookId: number; from: string; to: string; after: string }

/** Oldest first, at most `most`. */
export async function listOldest(
  table: Table,
  { webhookId, from, to, after }: OldestQuery,
  most: number,
  nowMs: number,
): Promise<AttemptRecord[]> {
  const start = after > from ? after : from
  if (start > to) return []
  // The bound is inclusive, so the position itself is read as well.
  const span = { pk: deliveriesPartition(webhookId), from: start, to, limit: most + 1 }
  const read = (await table.query(span, AnyItem)).filter(({ sk }) => sk !== after)
  return read.slice(0, most).map(item => attemptOf(item, nowMs))
}

/** The first attempt of a delivery, which knows of the later ones. */
export async function findFirstAttempt(
  table: Table,
  webhookId: number,
  eventId: string,
  nowMs: number,
): Promise<AttemptRecord | undefined> {
  const item = await table.find(deliveryKey(webhookId, eventId), AnyItem)
  const first = item && attemptOf(item, nowMs)
  return first && isLogged(first, nowMs) ? first : undefined
}

/**
 * `body`: undefined if the event has left the log. Throws NOT_FOUND for anything but the id of an attempt of
 * this webhook that is in the log.
 */
export async function getAttempt(
  table: Table,
  { webhookId, id, nowMs }: { webhookId: number; id: string; nowMs: number },
): Promise<{ attempt: AttemptRecord; body: string | undefined }> {
  const named = parseId(id, webhookId)
  if (!named) throw notFound('Delivery')
  const [first, events] = await Promise.all([
    findFirstAttempt(table, webhookId, named.event_id, nowMs),
    findEvents(table, [named.event_id], nowMs),
  ])
  const sk = named.attempt === 1 ? named.event_id : first?.later[named.attempt]
  const item =
    sk === undefined || named.attempt === 1 ? first : await table.find(deliveryKey(webhookId, sk), AnyItem)
  if (!first || sk === undefined || !item) throw notFound('Delivery')
  return { attempt: attemptOf(item, nowMs), body: events.get(named.event_id)?.body }
}

const KeptEvent = z.object({
  id: Text,
  event: Text,
  occurred_at: Text,
  request_id: Text,
  gateway_request_id: z.optional(Text),
  resource: z.optional(Resource),
  body: Text,
  expires: Int,
})

/** The events of these ids that are in the log, by id. */
export async function findEvents(
  table: Table,
  ids: string[],
  nowMs: number,
): Promise<Map<string, SentEvent>> {
  const items = await table.findMany([...new Set(ids)].map(eventKey))
  const events = items.map(item => KeptEvent.parse(item)).filter(event => isLogged(event, nowMs))
  return new Map(events.map(event => [event.id, event]))
}
