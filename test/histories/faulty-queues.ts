// The queues of a history on a bad day: messages are refused, there though nobody says so, twice, late, in any order.
import { type EventMessage, type Message, QUEUES, type QueueName } from '../../shared/events/message.ts'

type Lying = { message: Message; fromMs: number }
export type Batch = { queue: QueueName; lying: Lying[] }

const BATCH = 10
const LATE_MS = 90_000

/** `roll` gives a number from 0 to below 1. */
export function openFaultyQueues(roll: () => number, nowMs: () => number) {
  let all: Lying[] = []
  const events = new Map<string, EventMessage>()

  const lay = (message: Message) => {
    if (message.queue === 'events' && message.body.kind === 'event') events.set(message.body.id, message.body)
    const lateMs = !QUEUES[message.queue].isFifo && roll() < 0.1 ? LATE_MS : 0
    all.push({ message, fromMs: nowMs() + (message.delaySeconds ?? 0) * 1000 + lateMs })
  }

  const send = async (messages: Message[]) => {
    const at = roll()
    if (at < 0.06) throw new Error('No queue answers.')
    const taken = messages.slice(0, at < 0.12 ? messages.length / 2 : messages.length)
    for (const message of taken) {
      lay(message)
      if (!QUEUES[message.queue].isFifo && roll() < 0.1) lay(message)
    }
    if (at > 0.94) throw new Error('The answer of the queue is lost.')
    return messages.map((_, n) => ({ ok: n < taken.length }))
  }

  /** Some messages of one queue that are due, those of most queues in any order; gone until they are put back. */
  const take = (): Batch | undefined => {
    const due = all.filter(({ fromMs }) => fromMs <= nowMs())
    const queue = due[Math.floor(roll() * due.length)]?.message.queue
    if (!queue) return undefined
    const own = due.filter(({ message }) => message.queue === queue)
    const order = new Map(own.map(each => [each, QUEUES[queue].isFifo ? 0 : roll()]))
    const lying = own.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)).slice(0, BATCH)
    all = all.filter(each => !lying.includes(each))
    return { queue, lying }
  }

  return {
    sender: { send },
    take,
    /** What was not done comes again, in its place where there is one. */
    putBack: (lying: Lying[]) => {
      all = [...lying, ...all]
    },
    isEmpty: () => all.length === 0,
    /** Every event that ever lay in its queue, once. */
    takeEvents: (): EventMessage[] => {
      const told = [...events.values()]
      events.clear()
      return told
    },
  }
}
