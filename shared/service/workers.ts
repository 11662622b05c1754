// Declares the functions that run without a request: workers of queues, and scheduled workers.
import { QUEUE_NAMES, QUEUES, type QueueName } from '../events/message.ts'
import type { RecordKind } from '../table/kinds.ts'
import { type FunctionDeclaration, permissionsOf, type SomePermissions } from './permissions.ts'

export type QueueWorker = FunctionDeclaration & {
  consumes: QueueName
  batchSize: number
  maxConcurrency: number
}
export type ScheduledWorker = FunctionDeclaration & { everyMinutes: number }

/** The lists that the cleanup deletes with a category, or removes comments from. */
const CLEANED_LISTS: RecordKind[] = ['LIST category:*', 'LIST comments:*']

/** Work that outlives its request, in steps of a message each. */
const STEPS: SomePermissions = {
  reads: [...CLEANED_LISTS, 'USER', 'THREAD', 'WEBHOOK', 'DELIVERIES'],
  writes: [...CLEANED_LISTS, 'USER', 'THREAD', 'COMMENT', 'DELIVERIES'],
  updates: ['EVENT'],
  sends: ['jobs', 'deliveries'],
}

const MAILS: SomePermissions = {
  reads: ['MAIL', 'LIMIT', 'USER', 'EMAIL', 'NEWSLETTER', 'SETTINGS', 'REFUSALS'],
  writes: ['MAIL', 'LIMIT'],
  secrets: ['ClientKey', 'PrivateKey'],
  sendsMail: true,
}

export const QUEUE_WORKERS = {
  /** Turns an event into messages for its subscriptions, announces posts, and closes bursts that are due. */
  'fan-out': {
    ...permissionsOf({
      reads: ['SUBSCRIPTIONS', 'SUBSCRIBERS', 'POST', 'CHUNK', 'DOC', 'SETTINGS', 'VERSION', 'BURST'],
      writes: ['POST', 'SCHEDULED', 'DOC', 'INDEX', 'EVENT', 'OUTBOX', 'BURST'],
      puts: ['CHANGES'],
      updates: ['VERSION', 'AUTHOR'],
      sends: ['events', 'deliveries', 'index'],
      secrets: ['ClientKey'],
    }),
    memoryMb: 512,
    timeoutSeconds: 30,
    consumes: 'events',
    batchSize: 10,
    maxConcurrency: 5,
  },
  'deliver-webhooks': {
    ...permissionsOf({
      reads: ['WEBHOOK', 'USER', 'SETTINGS', 'DELIVERIES', 'EVENT', 'BURST'],
      writes: ['WEBHOOK', 'DELIVERIES', 'OUTBOX', 'BURST'],
      sends: ['events', 'jobs', 'deliveries'],
      secrets: ['ClientKey', 'PrivateKey'],
    }),
    memoryMb: 512,
    timeoutSeconds: 60,
    consumes: 'deliveries',
    batchSize: 5,
    // Five events a second to 100 subscriptions are four batches. One with a hanging receiver takes 5 s.
    maxConcurrency: 20,
  },
  'index-search': {
    ...permissionsOf({
      reads: ['DOC', 'INDEX', 'SEGMENT'],
      writes: ['DOC', 'INDEX', 'SEGMENT'],
    }),
    memoryMb: 1024,
    // Long enough for a merge of all posts of a large site.
    timeoutSeconds: 900,
    consumes: 'index',
    batchSize: 1,
    // All its messages are one group, so one run at a time merges.
    maxConcurrency: 2,
  },
  /** Few runs at a time, each with one message: a new SES account may send one mail a second. */
  jobs: {
    // SES reports bounces and complaints to it.
    ...permissionsOf(STEPS, MAILS, { updates: ['REFUSALS'] }),
    memoryMb: 512,
    timeoutSeconds: 30,
    consumes: 'jobs',
    batchSize: 1,
    maxConcurrency: 2,
  },
} satisfies Record<string, QueueWorker>

/**
 * AWS recommends six times the worker's time-out, so that a throttled batch is not delivered twice. After a
 * crash a FIFO queue delivers nothing else until then, and its worker runs alone: once is enough.
 */
export function visibilitySeconds(queue: QueueName): number {
  const worker = Object.values(QUEUE_WORKERS).find(({ consumes }) => consumes === queue)
  return (QUEUES[queue].isFifo ? 1 : 6) * (worker?.timeoutSeconds ?? 0)
}

/** The index queue keeps one message a second, and delivers it when that second is over by every clock. */
export function deliveryDelaySeconds(queue: QueueName): number {
  return QUEUES[queue].isFifo ? 2 : 0
}

export const SCHEDULED_WORKERS: Record<string, ScheduledWorker> = {
  /** Finishes what was left behind: unsent outbox rows, due posts, unused chunks, changes for the index. */
  sweep: {
    ...permissionsOf({
      reads: ['OUTBOX', 'SCHEDULED', 'LEFTOVER', 'INDEX'],
      writes: ['OUTBOX', 'CHUNK', 'LEFTOVER'],
      sends: QUEUE_NAMES,
    }),
    // An hour's outage of a queue leaves 100,000 rows, or 10,000 calls, which need CPU.
    memoryMb: 1024,
    timeoutSeconds: 50,
    everyMinutes: 1,
  },
}
