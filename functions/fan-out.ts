// Turns an event into deliveries, announces scheduled posts that are due, and closes bursts.
import { consume } from '../shared/lambda/consume.ts'
import { announceDue } from '../shared/posts/commands/announce.ts'
import { closeBurst } from '../shared/webhooks/commands/collect.ts'
import { fanOut } from '../shared/webhooks/commands/deliver.ts'

export const handler = consume('events', (message, job) => {
  switch (message.kind) {
    case 'due':
      return announceDue(job.work, message)
    case 'burst':
      return closeBurst(job, message)
    default:
      return fanOut(message, job)
  }
})
