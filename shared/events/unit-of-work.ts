// The unit of work of a request or job: one moment, one cause, and one way to commit a change.
import { commitPublicly, type PublicChangeAt } from '../feed/commit.ts'
import type { Reply } from '../http/reply.ts'
import { type ListChange, writeWithLists } from '../lists/counted-list.ts'
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import type { DomainEvent } from './catalogue.ts'
import { eventMessage, type Message } from './message.ts'
import { outboxOf, relay } from './outbox.ts'
import type { Sender } from './sqs.ts'
import { type FiredEvent, findWanted, writeWanted } from './wanted.ts'

export type Change = {
  actions: Action[]
  /** Entries of counted lists that the change adds, moves and removes. */
  lists?: ListChange
  events?: DomainEvent[]
  messages?: Message[]
  /** What readers see of the change, for the feed and the caches: it is written in the same transaction. */
  public?: PublicChangeAt | undefined
  /** Further actions and messages, which are prepared while the lists are read. */
  prepared?: Promise<{ actions: Action[]; messages: Message[] }>
}

export type UnitOfWork = {
  table: Table
  nowMs: number
  nowSeconds: number
  /** Returns the current time; `nowMs` is the time at which the request or job began. */
  clock: () => number
  /** The base of every public URL, without a slash at the end. */
  siteUrl: () => Promise<string>
  /**
   * Writes the change, its messages and the kept answer in one transaction, then sends the messages.
   * Throws ConditionFailed with the reason of each condition that failed.
   */
  commit: (change: Change, reply?: Reply | Promise<Reply>) => Promise<void>
}

type Parts = {
  table: Table
  sender: Sender
  nowMs: number
  /** Without it, as in tests, the time stands still. */
  clock?: () => number
  requestId: string
  siteUrl: () => Promise<string>
  log: (level: 'warn' | 'error', message: string, details: Record<string, unknown>) => void
  /** The events that may be fired: any other fails the change. Without it, as in a worker, all may. */
  declared?: readonly string[]
  /** Adds the kept answer of an idempotent request. */
  keep?: ((reply: Reply) => Promise<Action>) | undefined
  onKept?: () => void
}

export function startUnitOfWork(parts: Parts): UnitOfWork {
  const { table, sender, nowMs, requestId, siteUrl, log } = parts
  const { clock = () => nowMs } = parts
  const logUnsent = (problem: unknown) =>
    log('warn', 'left to the sweep', { request_id: requestId, problem: String(problem) })
  const commit = async (
    { actions, lists = {}, events = [], messages = [], public: publicChange, prepared }: Change,
    reply?: Reply | Promise<Reply>,
  ): Promise<void> => {
    checkDeclared(events, parts)
    const fired = events.map(event => firedEvent(event, parts))
    // All of this runs while the lists are read. `writeWanted` uses the counts that are remembered by then.
    const preparing = Promise.all([
      prepared,
      keptAnswer(parts, reply),
      fired.length > 0 ? findWanted(table) : undefined,
    ])
    preparing.catch(() => undefined)
    await writeWithLists(table, lists, async listActions => {
      const [more = { actions: [], messages: [] }, kept] = await preparing
      const outbox = await writeWanted(table, fired, async (wanted, conditions) => {
        const outbox = outboxOf([...wanted, ...messages, ...more.messages], nowMs)
        const puts = outbox.flatMap(({ row }) => (row ? { Put: { Item: row } } : []))
        const written = [...actions, ...more.actions, ...listActions, ...puts, ...conditions, ...kept]
        await (publicChange ? commitPublicly(table, written, publicChange, clock) : table.transact(written))
        return outbox
      })
      if (kept.length > 0) parts.onKept?.()
      await relay({ table, sender, log: logUnsent }, outbox)
    })
  }
  return { table, nowMs, nowSeconds: Math.floor(nowMs / 1000), clock, siteUrl, commit }
}

async function keptAnswer({ keep }: Parts, reply: Reply | Promise<Reply> | undefined): Promise<Action[]> {
  return reply && keep ? [await keep(await reply)] : []
}

/** An undeclared event is missing in the API's document, and the function may not be permitted to send it. */
function checkDeclared(events: DomainEvent[], { declared }: Parts): void {
  const undeclared = events.map(({ event }) => event).filter(name => !declared?.includes(name))
  if (!declared || undeclared.length === 0) return
  throw new Error(`The endpoint fires ${undeclared.join(', ')}: add it to \`emits\` in its contract.`)
}

function firedEvent({ event, data, atSeconds }: DomainEvent, { nowMs, requestId }: Parts): FiredEvent {
  const happened_ms = atSeconds === undefined ? nowMs : atSeconds * 1000
  return { queue: 'events', body: eventMessage({ event, happened_ms, request_id: requestId, data }, nowMs) }
}
