// An outbox with its own table and queues, some of which may refuse messages, and rows of every kind.
import { clientSettings } from '../../infra/local/account.ts'
import { type Message, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { outboxRow, sweepOutbox } from '../../shared/events/outbox.ts'
import { openSender, openSqs, type Sender } from '../../shared/events/sqs.ts'
import { type Item, outboxPartition } from '../../shared/table/design.ts'
import { newTable } from '../support/new-table.ts'
import { createQueues } from '../support/queue.ts'
import { startSqs } from '../support/sqs.ts'

export const NOW_MS = Date.parse('2026-01-01T12:00:00Z')
/** So long ago that the sweep sends the row. */
export const OLD_MS = NOW_MS - 120_000

type LogLine = { message: string; [name: string]: unknown }
/** `refusing`: queues that do not exist and so refuse everything. `through` wraps the sender. */
export type SweepOptions = {
  refusing?: string[]
  through?: (sender: Sender) => Sender
  hasTime?: () => boolean
}

export async function openOutbox() {
  const [world, sqs] = await Promise.all([newTable(), startSqs()])
  const client = openSqs(clientSettings(sqs.endpoint))
  let round = 0
  const nameOf = (queue: string) => `${queue}-${round}${queue === 'index' ? '.fifo' : ''}`

  /** Gives each test its own queues and an empty table. */
  const begin = async () => {
    round++
    await world.table.removeMany((await world.dump()).map(({ pk, sk }) => ({ pk, sk })))
    await createQueues(sqs.endpoint, Object.keys(QUEUES).map(nameOf))
  }

  const sweep = async ({
    refusing = [],
    through = sender => sender,
    hasTime = () => true,
  }: SweepOptions = {}) => {
    const logged: LogLine[] = []
    const urlOf = (queue: QueueName) => sqs.queueUrl(refusing.includes(queue) ? 'missing' : nameOf(queue))
    const sender = openSender(client, urlOf, Date.now)
    const log = (_: string, message: string, details: Record<string, unknown>) => {
      logged.push({ message, ...details })
    }
    const sweeping = { table: world.table, sender: through(sender), log, nowMs: NOW_MS, hasTime }
    return { swept: await sweepOutbox(sweeping), logged }
  }

  const stop = async () => {
    client.destroy()
    await Promise.all([world.stop(), sqs.stop()])
  }
  return {
    table: world.table,
    dump: world.dump,
    begin,
    sweep,
    sender: openSender(client, queue => sqs.queueUrl(nameOf(queue)), Date.now),
    /** The bodies of up to ten messages. */
    receive: async (queue: QueueName): Promise<unknown[]> => {
      const QueueUrl = sqs.queueUrl(nameOf(queue))
      const { Messages = [] } = await client.call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10 })
      return Messages.map(({ Body = '' }) => JSON.parse(Body))
    },
    visible: (queue: string) => sqs.depth(nameOf(queue)).visible,
    put: (items: Item[]) => world.table.putMany(items),
    stop,
  }
}

export function mail(n: number): Message {
  return {
    queue: 'jobs',
    body: { kind: 'verify-email', id: `mail-${n}`, user_id: n },
  }
}

export function due(n: number): Message {
  return { queue: 'events', body: { kind: 'due', post_id: n, posted_at: n } }
}

export function rows(count: number, messageOf: (n: number) => Message, atMs = OLD_MS) {
  return Array.from({ length: count }, (_, n) => outboxRow(messageOf(n), atMs + n))
}

/** So that they are read in their order. */
export function inOneShard(items: Item[]): Item[] {
  return items.map(item => ({ ...item, pk: outboxPartition(3) }))
}

/** What makes a row unreadable for this version. */
const UNREADABLE = {
  unknownQueue: { queue: 'tomorrow' },
  unknownKind: { body: JSON.stringify({ kind: 'new-mail', id: 'x' }) },
  cutOff: { body: '{"kind":' },
  wrongTime: { not_before_ms: 'soon' },
}

export function unreadable(what: keyof typeof UNREADABLE) {
  return { ...outboxRow(mail(1), OLD_MS), ...UNREADABLE[what] }
}
