// The queues of a history: what was sent lies there until somebody asks for it.
import type {
  DueMessage,
  EventMessage,
  IndexMessage,
  Message,
  TidyMessage,
} from '../../shared/events/message.ts'

/** Queues that take everything and keep it until it is asked for. */
export function rememberingQueues() {
  const events: EventMessage[] = []
  let due: DueMessage[] = []
  const lists: TidyMessage[] = []
  const index: IndexMessage[] = []
  const keep = (message: Message) => {
    if (message.queue === 'tidy') {
      lists.push(message.body)
    } else if (message.queue === 'index') {
      index.push(message.body)
    } else if (message.queue === 'events' && message.body.kind === 'due') {
      due.push(message.body)
    } else if (message.queue === 'events' && message.body.kind === 'event') {
      events.push(message.body)
    } else {
      throw new Error(`Nobody expects a message in ${message.queue}.`)
    }
  }
  return {
    sender: {
      send: async (messages: Message[]) => {
        for (const message of messages) keep(message)
        return messages.map(() => ({ ok: true }))
      },
    },
    takeEvents: () => events.splice(0),
    takeTidy: () => lists.splice(0),
    takeIndex: (most: number) => index.splice(0, most),
    takeDue: (until: number) => {
      const taken = due.filter(({ posted_at }) => posted_at <= until)
      due = due.filter(({ posted_at }) => posted_at > until)
      return taken
    },
  }
}
