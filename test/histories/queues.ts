// Queues that by chance refuse messages, lose their answer, and deliver messages twice, late, in any order.
import { clientSettings } from '../../infra/local/account.ts'
import {
  type EventMessage,
  type Message,
  QUEUE_NAMES,
  QUEUES,
  type QueueName,
} from '../../shared/events/message.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { interceptable } from '../support/interceptable.ts'

type QueuedMessage = { message: Message; visibleMs: number }
export type Batch = { queue: QueueName; messages: QueuedMessage[] }

/** The environment variables with the URLs of the queues. */
export const QUEUE_URLS: Record<string, string> = Object.fromEntries(
  QUEUE_NAMES.map(name => [QUEUES[name].urlVariable, `http://127.0.0.1/${name}`]),
)

const BATCH_SIZE = 10
const DELAY_MS = 90_000
/** The pause before a message that failed comes again. */
const BACK_OFF_MS = 10_000

/** `roll` returns a random number in [0, 1). Without it nothing is refused, lost or repeated. */
export function openQueues(nowMs: () => number, roll: () => number = () => 0.5) {
  let all: QueuedMessage[] = []
  const events = new Map<string, EventMessage>()

  const enqueue = (message: Message) => {
    // One message stands for all that wait in an ordered queue.
    if (QUEUES[message.queue].isFifo && all.some(one => one.message.queue === message.queue)) return
    if (message.queue === 'events' && message.body.kind === 'event') events.set(message.body.id, message.body)
    const lateMs = !QUEUES[message.queue].isFifo && roll() < 0.1 ? DELAY_MS : 0
    all.push({ message, visibleMs: nowMs() + (message.delaySeconds ?? 0) * 1000 + lateMs })
  }

  const send = async (messages: Message[]) => {
    const rolled = roll()
    if (rolled < 0.06) throw new Error('No queue answers.')
    const accepted = messages.slice(0, rolled < 0.12 ? messages.length / 2 : messages.length)
    for (const message of accepted) {
      enqueue(message)
      if (!QUEUES[message.queue].isFifo && roll() < 0.1) enqueue(message)
    }
    if (rolled > 0.94) throw new Error('The answer of the queue is lost.')
    return messages.map((_, n) => ({ ok: n < accepted.length }))
  }

  /** Removes up to ten visible messages of one of the queues, in any order unless the queue keeps one. */
  const take = (names: QueueName[] = QUEUE_NAMES): Batch | undefined => {
    const visible = all.filter(
      ({ visibleMs, message }) => visibleMs <= nowMs() && names.includes(message.queue),
    )
    const queue = visible[Math.floor(roll() * visible.length)]?.message.queue
    if (!queue) return undefined
    const own = visible.filter(({ message }) => message.queue === queue)
    const order = new Map(own.map(message => [message, QUEUES[queue].isFifo ? 0 : roll()]))
    const messages = own
      .sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
      .slice(0, QUEUES[queue].isFifo ? 1 : BATCH_SIZE)
    all = all.filter(message => !messages.includes(message))
    return { queue, messages }
  }

  /** Its one call delays messages that failed, which `putBack` does. */
  const sqs = interceptable(openSqs(clientSettings('http://127.0.0.1:1')))
  sqs.around(async () => ({}))

  return {
    sender: { send },
    sqs,
    take,
    /** Returns messages to the front of their queue. As in SQS, they come back later unless kept in order. */
    putBack: (messages: QueuedMessage[]) => {
      const later = messages.map(({ message }) => ({
        message,
        visibleMs: nowMs() + (QUEUES[message.queue].isFifo ? 0 : BACK_OFF_MS),
      }))
      all = [...later, ...all]
    },
    isEmpty: () => all.length === 0,
    lengthOf: (queue: QueueName) => all.filter(({ message }) => message.queue === queue).length,
    /** Every event that was sent since the last call, once. */
    takeEvents: (): EventMessage[] => {
      const sent = [...events.values()]
      events.clear()
      return sent
    },
  }
}
