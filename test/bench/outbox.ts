// Measures how fast the sweep empties an outbox of 100,000 rows, at its share of a CPU on Lambda.
// Run: npm run bench:outbox -- [rows]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { clientSettings } from '../../infra/local/account.ts'
import { newEventId } from '../../shared/events/event-id.ts'
import {
  type EventMessage,
  type Message,
  QUEUE_NAMES,
  QUEUES,
  type QueueName,
} from '../../shared/events/message.ts'
import { outboxRow } from '../../shared/events/outbox.ts'
import { SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { startSqs } from '../world/sqs.ts'
import { startTable } from '../world/table.ts'
import { conditions } from './report.ts'

const count = Number(process.argv[2] ?? 100_000)
const memoryMb = SCHEDULED_WORKERS.sweep?.memoryMb ?? 0
/** Lambda gives a whole vCPU at 1,769 MB, and throttles a function by pausing it in short periods. */
const share = memoryMb / 1769
const PERIOD_MS = 100

const { table, tableName, endpoint, stop } = await startTable()
const sqs = await startSqs()
const client = new SQSClient(clientSettings(sqs.endpoint))
function nameOf(queue: QueueName) {
  return QUEUES[queue].isFifo ? `${queue}.fifo` : queue
}

for (const queue of QUEUE_NAMES) {
  const Attributes = nameOf(queue).endsWith('.fifo') ? { FifoQueue: 'true' } : {}
  await client.send(new CreateQueueCommand({ QueueName: nameOf(queue), Attributes }))
}

function event(n: number): EventMessage {
  return {
    kind: 'event',
    id: newEventId(n),
    event: 'post.updated',
    occurred_at: '2026-01-01T00:00:00+00:00',
    happened_ms: n,
    request_id: `request-${n}`,
    data: {
      id: n,
      title: `A post with a title of some length, number ${n}`,
      slug: `post-${n}`,
      text: 'x'.repeat(400),
    },
  }
}

/** The mix of a publish: event, index update, deliveries, and now and then a mail. */
function messageOf(n: number): Message {
  if (n % 10 < 4) return { queue: 'events', body: event(n) }
  if (n % 10 < 7) return { queue: 'index', group: String(n), body: { post_id: n } }
  if (n % 10 < 9) {
    const subscriptions = [{ id: 1, owner_id: 1 }]
    return { queue: 'deliveries', group: '1', body: { subscriptions, event: event(n) } }
  }
  return { queue: 'mail', body: { kind: 'verify-email', id: newEventId(n), user_id: n } }
}

const oldMs = Date.now() - 3_600_000
/** As a request leaves it when its queue refuses the message. */
function unsentRow(n: number) {
  return { ...outboxRow(messageOf(n), oldMs + n), unsent: true }
}

for (let n = 0; n < count; n += 1000) {
  await table.putMany(Array.from({ length: Math.min(1000, count - n) }, (_, m) => unsentRow(n + m)))
}
console.info(
  `The outbox has ${count} rows; the sweep has ${memoryMb} MB, which is ${share.toFixed(2)} of a CPU.`,
)

const queueUrls = QUEUE_NAMES.map(queue => [QUEUES[queue].urlVariable, sqs.queueUrl(nameOf(queue))])
const child = spawn(process.execPath, [fileURLToPath(new URL('outbox-sweeps.ts', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    PATH: process.env.PATH,
    TABLE_NAME: tableName,
    SITE_URL: 'https://site.example',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    ...Object.fromEntries(queueUrls),
  },
})
let pausing: NodeJS.Timeout | undefined
const throttle = setInterval(() => {
  child.kill('SIGSTOP')
  pausing = setTimeout(() => child.kill('SIGCONT'), PERIOD_MS * (1 - share))
}, PERIOD_MS)
const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
clearInterval(throttle)
clearTimeout(pausing)
client.destroy()
await Promise.all([stop(), sqs.stop()])

// The lines before the last one are the log and the metrics of the sweeps.
const { runs, cpuMs, calls }: { runs: number[]; cpuMs: number; calls: number } = JSON.parse(
  output.trim().split('\n').at(-1) ?? '',
)
/** A sweep begins each minute and ends before the next one. */
const seconds = (runs.length - 1) * 60 + (runs.at(-1) ?? 0) / 1000
console.info(`${conditions(new Date())}`)
console.info(
  `  ${runs.length} sweeps of ${runs.map(ms => (ms / 1000).toFixed(1)).join(', ')} s, a minute apart: ${seconds.toFixed(0)} s`,
)
console.info(
  `  ${calls} calls, ${(calls / count).toFixed(3)} a row; ${(cpuMs / count).toFixed(3)} ms of the CPU a row`,
)
if (seconds > 600) process.exitCode = 1
