// The command that sends dead letters and messages that were set aside to their queues again.
import * as z from 'zod/mini'
import { QUEUE_NAMES, type QueueName } from '../../../shared/events/message.ts'
import { restoreSetAside } from '../../../shared/events/set-aside.ts'
import { command, value } from '../command.ts'
import { countDeadLetters, type RedriveResult, redrive } from '../redrive.ts'

const Queue = z.enum(QUEUE_NAMES, `Must be one of ${QUEUE_NAMES.join(', ')}.`)

const redriveCommand = command({
  name: 'redrive',
  summary: 'Send dead letters and messages that were set aside to their queues again',
  details: `  Without QUEUE, it does so for all queues. First repair what made the messages fail, or they are dead letters again
  after an hour. Nothing is sent twice: deliveries and mails are claimed before they are sent. Messages are set aside
  if the running version cannot read them, for example after a rollback. Those that this version can read go back to
  the outbox, and the next sweep sends them.`,
  args: { queue: value('QUEUE', QUEUE_NAMES.join(', '), z.optional(Queue)) },
  run: async ({ queue }, { target: { table, sqs, queueUrls }, progress, nowMs }) => {
    const redriveOne = async (name: QueueName) => {
      const urls = queueUrls(name)
      const count = await countDeadLetters(sqs, urls)
      const show = (moved: number) => progress.show(`${name}: sent ${moved} of about ${count} again`)
      return { queue: name, ...(await redrive(sqs, urls, show)) }
    }
    const all = await Promise.all((queue ? [queue] : QUEUE_NAMES).map(redriveOne))
    const { moved, unreadable } = await restoreSetAside(table, queue, nowMs)
    const aside = moved + unreadable > 0 ? [{ queue: 'outbox' as const, moved, refused: unreadable }] : []
    return {
      lines: [...all.map(lineOf), ...aside.map(setAsideLineOf)],
      json: [...all, ...aside],
      failed: [...all, ...aside].some(({ refused }) => refused > 0),
    }
  },
})

function lineOf({ queue, moved, refused }: RedriveResult & { queue: QueueName }): string {
  const rest = refused === 0 ? '' : ` The queue refused ${refused}. Run it again in a minute.`
  return `${queue}: ${moved} sent again.${rest}`
}

function setAsideLineOf({ moved, refused }: RedriveResult): string {
  const rest =
    refused === 0 ? '' : ` ${refused} remain set aside, because this version cannot read them either.`
  return `outbox: ${moved} that were set aside will be sent by the next sweep.${rest}`
}

export const REDRIVE_COMMANDS = [redriveCommand]
