// Declares the functions that run without a request: workers of queues, and scheduled workers.
import { type QueueName, SENT_QUEUES } from '../events/message.ts'
import type { Reach } from '../table/kinds.ts'
import { type FunctionNeeds, LARGE_TEXTS } from './needs.ts'

export type QueueWorker = FunctionNeeds & { consumes: QueueName; batchSize: number; maxConcurrency: number }
export type ScheduledWorker = FunctionNeeds & { everyMinutes: number }

/** The lists that the cleanup deletes with a category, or removes comments from. */
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
  /** Turns an event into messages for its subscriptions, and announces posts that become due. */
  'fan-out': {
    ...worker({
      reads: ['SUBSCRIPTIONS', 'SUBSCRIBERS', 'POST', 'CHUNK', 'DOC', 'SETTINGS', 'VERSION'],
      writes: ['POST', 'SCHEDULED', 'DOC', 'INDEX', 'EVENT', 'OUTBOX'],
      puts: ['CHANGES'],
      checks: ['SUBSCRIPTIONS'],
      updates: [
        { of: 'VERSION', attributes: ['last_change'] },
        { of: 'AUTHOR', attributes: ['public_posts'] },
      ],
      sends: ['events', 'deliveries', 'index'],
    }),
    consumes: 'events',
    batchSize: 10,
    maxConcurrency: 5,
  },
  'deliver-webhooks': {
    ...worker({
      reads: ['SUBSCRIPTIONS', 'WEBHOOK', 'USER', 'SETTINGS', 'DELIVERIES', 'EVENT'],
      writes: ['WEBHOOK', 'DELIVERIES', 'ANSWER', 'OUTBOX'],
      updates: [
        { of: 'SUBSCRIPTIONS', attributes: ['slow'] },
        { of: 'EVENT', attributes: ['expires'] },
      ],
      sends: ['mail', 'deliveries'],
      secrets: ['PrivateKey'],
      timeoutSeconds: 60,
    }),
    consumes: 'deliveries',
    batchSize: 10,
    // A run with a receiver that hangs takes 5 s: at five events a second there are up to 25 messages each.
    maxConcurrency: 20,
  },
  tidy: {
    ...worker({
      reads: [...CLEANED_LISTS, 'USER', 'THREAD', 'WEBHOOK', 'DELIVERIES', 'EVENT', 'REPLAY'],
      writes: [
        ...[...CLEANED_LISTS, ...(['USER', 'THREAD', 'COMMENT'] satisfies Reach[])],
        ...(['DELIVERIES', 'REPLAY', 'OUTBOX'] satisfies Reach[]),
      ],
      updates: [{ of: 'EVENT', attributes: ['expires'] }],
      sends: ['tidy', 'deliveries'],
    }),
    consumes: 'tidy',
    batchSize: 1,
    maxConcurrency: 2,
  },
  /** Its time-out is long enough for the longest body with only distinct words. */
  'index-search': {
    ...worker({
      reads: ['POST', 'CHUNK', 'DOC', 'INDEX', 'SEGMENT', 'BUILD'],
      writes: ['DOC', 'INDEX', 'SEGMENT', 'BUILD', ...LARGE_TEXTS],
      checks: ['POST'],
      sends: ['index'],
      memoryMb: 1024,
      timeoutSeconds: 120,
    }),
    consumes: 'index',
    batchSize: 1,
    // Its messages are one group, so that one run at a time merges.
    maxConcurrency: 2,
  },
  /** Sends few mails at a time, because a new SES account may send only one a second. */
  'send-mail': {
    ...worker({
      reads: ['MAIL', 'LIMIT', 'USER', 'EMAIL', 'NEWSLETTER', 'SETTINGS', 'REFUSALS'],
      writes: ['MAIL', 'LIMIT', 'NEWSLETTER'],
      secrets: ['ClientKey', 'PrivateKey'],
      sendsMail: true,
    }),
    consumes: 'mail',
    batchSize: 1,
    maxConcurrency: 2,
  },
  /** Bounces are rare: SES stops an account of whose mails a tenth bounces. */
  'record-bounces': {
    ...worker({
      updates: [
        {
          of: 'REFUSALS',
          attributes: [...['email', 'reason', 'detail', 'refused_ms', 'allowed_ms', 'expires', 'schema']],
        },
      ],
    }),
    consumes: 'bounces',
    batchSize: 10,
    maxConcurrency: 2,
  },
}

export const SCHEDULED_WORKERS: Record<string, ScheduledWorker> = {
  /** Picks up leftovers: unsent outbox rows, due posts, unused blobs, old secrets. */
  sweep: {
    ...worker({
      reads: ['OUTBOX', 'SCHEDULED', 'LEFTOVER', 'INDEX', 'ROTATIONS', 'WEBHOOK'],
      writes: ['OUTBOX', 'SWEEP', 'WEBHOOK', 'CHUNK', 'LEFTOVER', 'ROTATIONS'],
      updates: [{ of: 'SUBSCRIPTIONS', attributes: ['version'] }],
      sends: SENT_QUEUES,
      // An hour's outage of a queue leaves 100,000 rows, or 10,000 calls, which need CPU.
      memoryMb: 1024,
      timeoutSeconds: 50,
    }),
    everyMinutes: 1,
  },
}
