// Messages that failed for an hour and wait among the dead letters: once their cause is gone, they are sent again.
import * as z from 'zod/mini'
import { QUEUE_NAMES, type QueueName } from '../../../shared/events/message.ts'
import { bringBack } from '../../../shared/events/set-aside.ts'
import { command, value } from '../command.ts'
import { countDeadLetters, type Redriven, redrive } from '../redrive.ts'

const Queue = z.enum(QUEUE_NAMES, `Must be one of ${QUEUE_NAMES.join(', ')}.`)

const redriveCommand = command({
  name: 'redrive',
  summary:
    'Sends dead letters, and messages that were set aside, to their queue again, of one queue or of all',
  more: `  What was done is not done twice: deliveries and mails are claimed before they are sent. Mend first what made
  the messages fail, or they are back among the dead letters after an hour. Messages are set aside when the version
  that runs cannot read them, after a rollback for example: those that this version can read go back to the outbox,
  and the next sweep sends them.`,
  args: { queue: value('QUEUE', QUEUE_NAMES.join(', '), z.optional(Queue)) },
  run: async ({ queue }, { target: { table, sqs, queueUrls }, progress, nowMs }) => {
    const redriven = async (name: QueueName) => {
      const urls = queueUrls(name)
      const count = await countDeadLetters(sqs, urls)
      const say = (moved: number) => progress.say(`${name}: ${moved} of about ${count} sent again`)
      return { queue: name, ...(await redrive(sqs, urls, say)) }
    }
    const all = await Promise.all((queue ? [queue] : QUEUE_NAMES).map(redriven))
    const { moved, unreadable } = await bringBack(table, queue, nowMs)
    const aside = moved + unreadable > 0 ? [{ queue: 'outbox' as const, moved, refused: unreadable }] : []
    return {
      lines: [...all.map(lineOf), ...aside.map(asideLineOf)],
      json: [...all, ...aside],
      failed: [...all, ...aside].some(({ refused }) => refused > 0),
    }
  },
})

function lineOf({ queue, moved, refused }: Redriven & { queue: QueueName }): string {
  const stay = refused === 0 ? '' : ` ${refused} were not taken: run it again in a minute.`
  return `${queue}: ${moved} sent again.${stay}`
}

function asideLineOf({ moved, refused }: Redriven): string {
  const stay = refused === 0 ? '' : ` ${refused} stay set aside: this version cannot read them either.`
  return `outbox: ${moved} that were set aside go out with the next sweep.${stay}`
}

export const REDRIVE_COMMANDS = [redriveCommand]
