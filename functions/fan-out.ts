// Turns an event into deliveries, and announces scheduled posts that are due.
import { consume } from '../shared/lambda/consume.ts'
import { announceDue } from '../shared/posts/commands/announce.ts'
import { fanOut } from '../shared/webhooks/commands/fan-out.ts'

export const handler = consume('events', (message, job) =>
  message.kind === 'due' ? announceDue(job.work, message) : fanOut(message, job),
)
