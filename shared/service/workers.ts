// What works without a request: by a queue, or by the clock.
import { QUEUE_NAMES, type QueueName } from '../events/message.ts'
import type { Reach } from '../table/kinds.ts'
import { type FunctionNeeds, LARGE_TEXTS } from './needs.ts'

export type QueueWorker = FunctionNeeds & { consumes: QueueName; batchSize: number; maxConcurrency: number }
export type ScheduledWorker = FunctionNeeds & { everyMinutes: number }

/** The lists that go with a category, or lose comments. */
const CLEANED_LISTS: Reach[] = ['LIST category:*', 'LIST comments:*']

function worker(needs: Partial<FunctionNeeds>): FunctionNeeds {
  return {
    reads: [],
    writes: [],
    sends: [],
    secrets: [],
    sendsMail: false,
    memoryMb: 512,
    timeoutSeconds: 30,
    ...needs,
  }
}

export const QUEUE_WORKERS: Record<string, QueueWorker> = {
  /** An event becomes one message for each subscription; a post whose time has come is announced. */
  'fan-out': {
    ...worker({
      reads: ['SUBSCRIBERS', 'POST', 'SETTINGS'],
      writes: ['POST', 'SCHEDULED', 'OUTBOX'],
      sends: ['events', 'deliveries', 'index'],
    }),
    consumes: 'events',
    batchSize: 10,
    maxConcurrency: 5,
  },
  'deliver-webhooks': {
    ...worker({
      reads: ['WEBHOOK', 'USER', 'SETTINGS'],
      writes: ['WEBHOOK', 'DELIVERIES'],
      secrets: ['WebhookKey'],
      timeoutSeconds: 60,
    }),
    consumes: 'deliveries',
    batchSize: 10,
    // A run takes further messages while some hang, up to 200 at once: few runs are enough.
    maxConcurrency: 5,
  },
  tidy: {
    ...worker({
      reads: [...CLEANED_LISTS, 'USER', 'THREAD', 'MOVING'],
      writes: [...CLEANED_LISTS, 'USER', 'THREAD', 'MOVING', 'COMMENT'],
      sends: ['tidy'],
    }),
    consumes: 'tidy',
    batchSize: 1,
    maxConcurrency: 2,
  },
  /** Long enough for the longest body, each word of it another one. */
  'index-search': {
    ...worker({
      reads: ['POST', 'CHUNK', 'DOC', 'UNINDEXED', 'REBUILDING', 'TERM', 'POSTINGS'],
      writes: ['DOC', 'UNINDEXED', 'REBUILDING', 'TERM', 'POSTINGS', ...LARGE_TEXTS],
      memoryMb: 1024,
      timeoutSeconds: 120,
    }),
    consumes: 'index',
    batchSize: 10,
    maxConcurrency: 2,
  },
  /** A few at a time: a new account may send one mail a second. */
  'send-mail': {
    ...worker({
      reads: ['MAIL', 'LIMIT', 'USER', 'EMAIL', 'NEWSLETTER', 'SETTINGS'],
      writes: ['MAIL', 'LIMIT', 'NEWSLETTER'],
      secrets: ['ClientKey', 'LinkKey'],
      sendsMail: true,
    }),
    consumes: 'mail',
    batchSize: 1,
    maxConcurrency: 2,
  },
}

export const SCHEDULED_WORKERS: Record<string, ScheduledWorker> = {
  /** Whatever was left behind: outbox rows, due posts, broken deliveries, blobs. */
  sweep: {
    ...worker({
      reads: ['OUTBOX', 'SCHEDULED', 'OPEN', 'DELIVERIES', 'LEFTOVER'],
      writes: ['OUTBOX', 'SETASIDE', 'SWEEP', 'DELIVERIES', 'WEBHOOK', 'CHUNK', 'LEFTOVER'],
      sends: QUEUE_NAMES,
      // What a queue refused for an hour is a hundred thousand rows: 10,000 calls, which cost CPU.
      memoryMb: 1024,
      timeoutSeconds: 50,
    }),
    everyMinutes: 1,
  },
}
