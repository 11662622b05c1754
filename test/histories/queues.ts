// Queues that store messages until a test takes them.
import type { Body, DueMessage, EventMessage, IndexMessage, Message } from '../../shared/events/message.ts'

export function recordingQueues() {
  const events: EventMessage[] = []
  let due: DueMessage[] = []
  const jobs: Body<'jobs'>[] = []
  const index: IndexMessage[] = []
  const record = (message: Message) => {
    if (message.queue === 'jobs') {
      jobs.push(message.body)
    } else if (message.queue === 'index') {
      index.push(message.body)
    } else if (message.queue === 'events' && message.body.kind === 'due') {
      due.push(message.body)
    } else if (message.queue === 'events' && message.body.kind === 'event') {
      events.push(message.body)
    } else {
      throw new Error(`A history sends no messages to ${message.queue}.`)
    }
  }
  return {
    sender: {
      send: async (messages: Message[]) => {
        for (const message of messages) record(message)
        return messages.map(() => ({ ok: true }))
      },
    },
    takeEvents: () => events.splice(0),
    takeJobs: () => jobs.splice(0),
    /** One message stands for all, as in the queue. */
    takeIndex: () => index.splice(0)[0],
    takeDue: (until: number) => {
      const taken = due.filter(({ posted_at }) => posted_at <= until)
      due = due.filter(({ posted_at }) => posted_at > until)
      return taken
    },
  }
}
