// The queues and their messages. Schemas are checked when a message is sent and when it is received.
import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { isoTime } from '../http/time.ts'

/** Shared, since every function builds each schema when it starts. */
const [Int, Text] = [z.int(), z.string()]
const AnyMembers = z.record(Text, z.unknown())

/** A message that fails so often, which takes more than an hour, goes to the dead letters. */
export const MAX_RECEIVES = 20

/** What a subscription to every event names. */
export const EVERY_EVENT = '*'

/** Accepts members of newer versions, and keeps them: a worker passes the message on. */
function passedOn<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodMiniObject<Shape> {
  return z.looseObject(shape)
}

/**
 * An event to fan out. `occurred_at` is for receivers, in seconds. `happened_ms` is the same moment, compared
 * with the time since which a subscription is active and its owner an admin.
 */
export const EventMessage = passedOn({
  kind: z.literal('event'),
  id: Text,
  event: Text,
  occurred_at: Text,
  happened_ms: Int,
  request_id: Text,
  data: AnyMembers,
})
export type EventMessage = z.infer<typeof EventMessage>

/** A scheduled post becomes due. Duplicates are harmless: it is announced once. */
export const DueMessage = z.object({ kind: z.literal('due'), post_id: Int, posted_at: Int })
export type DueMessage = z.infer<typeof DueMessage>

/** Sends what a subscription has collected, once it is time. */
export const BurstMessage = z.object({ kind: z.literal('burst'), webhook_id: Int, id: Text })
export type BurstMessage = z.infer<typeof BurstMessage>

const EventsQueueMessage = z.discriminatedUnion('kind', [EventMessage, DueMessage, BurstMessage])

/** Names an attempt. `sk` is the id of the event for the first one, and an id of its own for a later one. */
const AttemptRef = z.object({ webhook_id: Int, owner_id: Int, event_id: Text, attempt: Int, sk: Text })
export type AttemptRef = z.infer<typeof AttemptRef>

/** The most of one message. */
export const MAX_DELIVERIES = 25

/** First attempts of an event, one for each subscription. Without it, later attempts of one subscription. */
export const DeliveriesMessage = z.object({
  attempts: z.array(AttemptRef).check(z.minLength(1), z.maxLength(MAX_DELIVERIES)),
  event: z.optional(EventMessage),
})
export type DeliveriesMessage = z.infer<typeof DeliveriesMessage>

/** One step of work that outlives its request: at most 100 records, then a message for the next step. */
export const StepMessage = z.discriminatedUnion('kind', [
  /** Deletes the entries of a deleted list. */
  z.object({ kind: z.literal('list'), list: Text }),
  /** Deletes what is below the deleted comment with this path. Without a path, all of a deleted post. */
  z.object({ kind: z.literal('comments'), post_id: Int, path: z.array(Int) }),
  /** Deletes the revoked tokens of a user: those with a smaller id than `first_valid`. */
  z.object({ kind: z.literal('tokens'), user_id: Int, first_valid: Int }),
  /** Sends the next deliveries of a replay again. */
  z.object({
    kind: z.literal('replay'),
    webhook_id: Int,
    owner_id: Int,
    id: Text,
    /** About the events, both inclusive. */
    since: Int,
    until: Int,
    status: z.enum(['failed', 'all']),
    events: z.nullable(z.array(Text)),
    /** The sort key of the last delivery that was looked at. */
    position: Text,
  }),
])
export type StepMessage = z.infer<typeof StepMessage>

function mailMessage<Kind extends string, Shape extends z.core.$ZodShape>(kind: Kind, shape: Shape) {
  return z.object({ kind: z.literal(kind), id: Text, ...shape })
}

/**
 * A mail to send, at most once per `id`. Only the worker looks up the account of a reset and creates links,
 * so that the response time does not reveal whether the address has an account.
 */
export const MailMessage = z.discriminatedUnion('kind', [
  mailMessage('verify-email', { user_id: Int }),
  mailMessage('reset-password', { email: Text }),
  mailMessage('confirm-newsletter', { subscriber_id: Int }),
  /** `problem`: why the last of its deliveries failed, in one sentence. */
  mailMessage('webhook-failing', { owner_id: Int, webhook_id: Int, name: Text, problem: Text }),
])
export type MailMessage = z.infer<typeof MailMessage>

/** What SES publishes about a mail, in the envelope of SNS. Only the worker reads what it contains. */
export const SesNotice = passedOn({ Message: Text })
export type SesNotice = z.infer<typeof SesNotice>

/** Merges the changes that wait for the search index. */
const IndexMessage = z.object({})

/** SQS delays a message by at most 15 minutes. */
export const LONGEST_DELAY_SECONDS = 900

type Queue = {
  message: z.ZodMiniType
  /**
   * Its messages only say that there is work, for one worker at a time. The queue keeps one message of each
   * second and drops the others. None has an outbox row, since the sweep finds the work as well.
   */
  isFifo: boolean
  /** The environment variable that holds the queue's URL. */
  urlVariable: `${string}_QUEUE_URL`
}

/** The queues of the service by name. */
export const QUEUES = {
  events: { message: EventsQueueMessage, isFifo: false, urlVariable: 'EVENTS_QUEUE_URL' },
  deliveries: { message: DeliveriesMessage, isFifo: false, urlVariable: 'DELIVERIES_QUEUE_URL' },
  index: { message: IndexMessage, isFifo: true, urlVariable: 'INDEX_QUEUE_URL' },
  jobs: {
    message: z.union([StepMessage, MailMessage, SesNotice]),
    isFifo: false,
    urlVariable: 'JOBS_QUEUE_URL',
  },
} as const satisfies Record<string, Queue>
export type QueueName = keyof typeof QUEUES

export const QUEUE_NAMES: QueueName[] = Object.keys(QUEUES).filter(isQueueName)

function isQueueName(name: string): name is QueueName {
  return name in QUEUES
}

/** One value for each queue, by the queue's name. */
export function perQueue<T>(make: (name: QueueName) => T): Record<QueueName, T> {
  return Object.fromEntries(QUEUE_NAMES.map(name => [name, make(name)])) as Record<QueueName, T>
}

export type Body<Name extends QueueName> = z.output<(typeof QUEUES)[Name]['message']>
/** `group`: in a FIFO queue the order of its messages, in another one a fair share for each group. */
export type Message<Name extends QueueName = QueueName> = {
  [Each in Name]: {
    queue: Each
    body: Body<Each>
    delaySeconds?: number
    group?: string
  }
}[Name]

/** Throws on a message that the queue's schema does not accept. */
export function parseBody<Name extends QueueName>(queue: Name, body: unknown): Body<Name> {
  const queues: { [Each in QueueName]: { message: z.ZodMiniType<Body<Each>> } } = QUEUES
  return queues[queue].message.parse(body)
}

/** `evt_`, 12 hex digits of milliseconds, 20 random ones. No dot, which separates parts of signatures. */
export function newEventId(nowMs: number): string {
  return `${eventIdAt(nowMs)}${randomBytes(10).toString('hex')}`
}

/** The message of an event, with an id of its own. */
export function eventMessage(
  event: Pick<EventMessage, 'event' | 'happened_ms' | 'request_id' | 'data'>,
  nowMs: number,
): EventMessage {
  const occurred_at = isoTime(Math.floor(event.happened_ms / 1000))
  return { kind: 'event', id: newEventId(nowMs), occurred_at, ...event }
}

/** Sorts before the ids of this millisecond, and after those before. A time before 1970 counts as 1970. */
export function eventIdAt(ms: number): string {
  return `evt_${Math.max(0, ms).toString(16).padStart(12, '0')}`
}

/** The creation time of an id, in epoch milliseconds. */
export function timeOfEventId(eventId: string): number {
  return Number.parseInt(eventId.slice(4, 16), 16)
}
