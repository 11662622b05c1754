// Reads the log of a subscription's deliveries, newest or oldest first, and the events that it keeps.
import * as z from 'zod/mini'
import type { AttemptRef } from '../../events/message.ts'
import { notFound } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { deliveryKey, eventKey } from '../../table/design.ts'
import { type AttemptRecord, attemptOf, isLogged, parseId, SentEvent } from '../delivery.ts'

const AnyItem = z.looseObject({ sk: z.string() })

/** The most records that one answer reads. */
const MAX_READ = 1_000
/** How many are read at a time with a filter, if the newest ones do not suffice. */
const FILTERED_PAGE = 100

type LogQuery = {
  webhookId: number
  nowMs: number
  limit: number
  /** Bounds of the sort key. `to` is inclusive, `after` exclusive. */
  from?: string | undefined
  to?: string | undefined
  after?: string | undefined
  isWanted?: ((attempt: AttemptRecord) => boolean) | undefined
}

/** `next`: the sort key after which the list goes on; null at its end. */
type LogPage = { attempts: AttemptRecord[]; next: string | null }

/** Newest first. With a filter there may be fewer than `limit`, and more behind `next`. */
export async function listAttempts(table: Table, query: LogQuery): Promise<LogPage> {
  const { nowMs, limit, after, isWanted } = query
  const attempts: AttemptRecord[] = []
  let position = after
  for (let read = 0; read < MAX_READ; ) {
    const isSearching = isWanted && read > 0
    const most = isSearching ? Math.min(FILTERED_PAGE, MAX_READ - read) : limit + 1 - attempts.length
    const page = await readNext(table, { ...query, after: position, descending: true }, most)
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

/** Before and after every id. */
const [FIRST, LAST] = ['evt_', 'evt~']

type Span = Pick<LogQuery, 'webhookId' | 'from' | 'to' | 'after' | 'nowMs'> & { descending?: boolean }

/** The next attempts after the position, at most `most`, by default oldest first. */
export async function readNext(
  table: Table,
  { webhookId, from = FIRST, to = LAST, after, nowMs, descending = false }: Span,
  most: number,
): Promise<AttemptRecord[]> {
  const start = !descending && after !== undefined && after > from ? after : from
  const end = descending && after !== undefined && after < to ? after : to
  if (start > end) return []
  // The bounds are inclusive, so the position itself is read as well.
  const limit = after === undefined ? most : most + 1
  const { pk } = deliveryKey(webhookId, start)
  const read = await table.query({ pk, to: end, descending, limit, from: start }, AnyItem)
  const next = read.filter(({ sk }) => sk !== after).slice(0, most)
  return next.map(item => attemptOf(item, nowMs))
}

/** So many of the last attempts show the state of a receiver. */
const RECENT = 20

/** The last attempts that ended, newest first. */
export async function listRecent(table: Table, webhookId: number, nowMs: number): Promise<AttemptRecord[]> {
  const isWanted = ({ status }: AttemptRecord) => status === 'succeeded' || status === 'failed'
  return (await listAttempts(table, { webhookId, nowMs, limit: RECENT, isWanted })).attempts
}

/** `sk`: for the first attempt of a delivery, which knows of the later ones, the id of the event. */
export async function findAttempt(
  table: Table,
  webhookId: number,
  sk: string,
  nowMs: number,
): Promise<AttemptRecord | undefined> {
  const item = await table.find(deliveryKey(webhookId, sk), AnyItem)
  const attempt = item && attemptOf(item, nowMs)
  return attempt && isLogged(attempt, nowMs) ? attempt : undefined
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
  const { event_id, attempt: number } = named
  const [first, events] = await Promise.all([
    findAttempt(table, webhookId, event_id, nowMs),
    findEvents(table, [{ webhook_id: webhookId, event_id }], nowMs),
  ])
  const sk = first?.later[number]
  const attempt = number === 1 ? first : sk && (await findAttempt(table, webhookId, sk, nowMs))
  if (!attempt) throw notFound('Delivery')
  return { attempt, body: events.get(event_id)?.body }
}

/** The logged events of these deliveries of one subscription, by id, each with the body that it got. */
export async function findEvents(
  table: Table,
  deliveries: Pick<AttemptRef, 'webhook_id' | 'event_id'>[],
  nowMs: number,
): Promise<Map<string, SentEvent>> {
  const webhookIds = new Map(deliveries.map(({ webhook_id, event_id }) => [event_id, webhook_id]))
  const keys = [...webhookIds].flatMap(([id, webhookId]) => [eventKey(id), deliveryKey(webhookId, id)])
  const items = await table.findMany(keys)
  const firsts = items.filter(({ sk }) => webhookIds.has(sk)).map(item => attemptOf(item, nowMs))
  const bodies = new Map(firsts.map(({ event_id, body }) => [event_id, body]))
  const events = items.filter(({ sk }) => !webhookIds.has(sk)).map(item => SentEvent.parse(item))
  const kept = events.filter(event => isLogged(event, nowMs))
  return new Map(kept.map(event => [event.id, { ...event, body: bodies.get(event.id) ?? event.body }]))
}
