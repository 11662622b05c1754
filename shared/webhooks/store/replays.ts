// Reads replays, and the deliveries that they send again: oldest first.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { deliveriesPartition, deliveryKey, replayKey, replayTurnKey } from '../../table/design.ts'
import { type AttemptRecord, attemptOf } from '../attempt.ts'
import {
  boundsOf,
  type Choice,
  isChosen,
  MAX_LOOKED_AT,
  NO_TURN,
  ReplayRecord,
  ReplayTurn,
  stateOfTurn,
} from '../replay.ts'
import { isLogged } from '../sent-event.ts'
import { findEvents } from './kept-events.ts'

const AnyItem = z.looseObject({ sk: z.string() })
/** The most records that are looked at together. */
const PAGE = 500
/** So many records are read first for each that is wanted; then so many times as many. */
const [FEW, GROWTH] = [2, 4]

/** The replay that runs on a subscription, if one does. */
export async function findReplay(
  table: Table,
  webhookId: number,
  nowMs: number,
): Promise<ReplayRecord | undefined> {
  const replay = await table.find(replayKey(webhookId), ReplayRecord)
  return replay && isLogged(replay, nowMs) ? replay : undefined
}

export async function findTurn(table: Table): Promise<ReplayTurn> {
  return (await table.find(replayTurnKey, ReplayTurn)) ?? NO_TURN
}

/** Whether a replay may take a step: its attempts have ended, and those of the last step of any replay. */
export async function mayStep(
  table: Table,
  replay: ReplayRecord,
  turn: ReplayTurn,
  nowMs: number,
): Promise<boolean> {
  const state = stateOfTurn(turn, nowMs)
  if (state === 'taken' || (await listUnended(table, replay, nowMs)).length > 0) return false
  if (state === 'free' || turn.webhook_id === replay.webhook_id) return true
  const last = await findReplay(table, turn.webhook_id, nowMs)
  return !last || (await listUnended(table, last, nowMs)).length === 0
}

export type Span = { webhookId: number; choice: Choice; position: string; nowMs: number }

/** `position`: the sort key of the last delivery that was looked at. */
export type Chosen = { firsts: AttemptRecord[]; position: string; isEnd: boolean }

/**
 * The next first attempts that are chosen, at most `most`, among the next 500 records. Usually most of them
 * are, so it begins with few records.
 */
export async function listChosen(table: Table, span: Span, most: number): Promise<Chosen> {
  const { webhookId, choice, nowMs } = span
  const { from, to } = boundsOf(choice)
  const pk = deliveriesPartition(webhookId)
  const firsts: AttemptRecord[] = []
  let { position } = span
  let size = most * FEW
  for (let lookedAt = 0; lookedAt < PAGE; size *= GROWTH) {
    const start = position > from ? position : from
    if (start > to) return { firsts, position, isEnd: true }
    const limit = Math.min(size, PAGE - lookedAt)
    // The bound is inclusive, so the position itself is read as well.
    const read = await table.query({ pk, from: start, to, limit: limit + 1 }, AnyItem)
    const page = read.filter(({ sk }) => sk !== position).slice(0, limit)
    for (const item of page) {
      const attempt = attemptOf(item, nowMs)
      position = item.sk
      if (isLogged(attempt, nowMs) && isChosen(attempt, choice)) firsts.push(attempt)
      if (firsts.length === most) {
        return { firsts, position, isEnd: page.length < limit && item === page.at(-1) }
      }
    }
    if (page.length < limit) return { firsts, position, isEnd: true }
    lookedAt += page.length
  }
  return { firsts, position, isEnd: false }
}

/** How many deliveries are chosen whose events are in the log; undefined if there are too many to look at. */
export async function countChosen(table: Table, span: Omit<Span, 'position'>): Promise<number | undefined> {
  const firsts: AttemptRecord[] = []
  let position = ''
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT; lookedAt += PAGE) {
    const page = await listChosen(table, { ...span, position }, PAGE)
    for (const first of page.firsts) firsts.push(first)
    // Events are read last, so that too many deliveries cost no reads of them.
    if (page.isEnd) return (await withEvents(table, firsts, span.nowMs)).length
    position = page.position
  }
  return undefined
}

/** Without those whose events have left the log, or were never in it. */
export async function withEvents(
  table: Table,
  firsts: AttemptRecord[],
  nowMs: number,
): Promise<AttemptRecord[]> {
  const events = await findEvents(
    table,
    firsts.map(({ event_id }) => event_id),
    nowMs,
  )
  return firsts.filter(({ event_id }) => events.has(event_id))
}

/** Those of the attempts that have not ended. */
export async function listUnended(table: Table, { webhook_id, asked }: ReplayRecord, nowMs: number) {
  const keys = asked.map(({ sk }) => deliveryKey(webhook_id, sk))
  const items = (await table.findMany(keys)).map(item => attemptOf(item, nowMs))
  const unended = new Set(
    items.filter(({ status }) => status === 'queued' || status === 'sending').map(({ sk }) => sk),
  )
  return asked.filter(({ sk }) => unended.has(sk))
}
