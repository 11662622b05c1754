// The command that sends dead letters to their queues again.
import * as z from 'zod/mini'
import { QUEUE_NAMES, type QueueName } from '../../../shared/events/message.ts'
import { command, value } from '../command.ts'
import { countDeadLetters, type RedriveResult, redrive } from '../redrive.ts'

const Queue = z.enum(QUEUE_NAMES, `Must be one of ${QUEUE_NAMES.join(', ')}.`)

const redriveCommand = command({
  name: 'redrive',
  summary: 'Send dead letters to their queues again',
  details: `  Without QUEUE, it does so for all queues. First repair what made the messages fail, or they are dead letters again
  after an hour. Nothing is sent twice: deliveries and mails are claimed before they are sent.`,
  args: { queue: value('QUEUE', QUEUE_NAMES.join(', '), z.optional(Queue)) },
  run: async ({ queue }, { target: { sqs, queueUrls }, progress }) => {
    const redriveOne = async (name: QueueName) => {
      const urls = queueUrls(name)
      const count = await countDeadLetters(sqs, urls)
      const show = (moved: number) => progress.show(`${name}: sent ${moved} of about ${count} again`)
      return { queue: name, ...(await redrive(sqs, urls, show)) }
    }
    const all = await Promise.all((queue ? [queue] : QUEUE_NAMES).map(redriveOne))
    return { lines: all.map(lineOf), json: all, failed: all.some(({ refused }) => refused > 0) }
  },
})

function lineOf({ queue, moved, refused }: RedriveResult & { queue: QueueName }): string {
  const rest = refused === 0 ? '' : ` The queue refused ${refused}. Run it again in a minute.`
  return `${queue}: ${moved} sent again.${rest}`
}

export const REDRIVE_COMMANDS = [redriveCommand]
