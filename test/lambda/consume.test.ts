// Handles the messages of a batch one by one: which fail, and when they are retried.
import { describe, expect, it } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { recordOf } from '../../infra/local/poller.ts'
import { MAX_RECEIVES, type Message } from '../../shared/events/message.ts'
import { openSender, openSqs, pauseSeconds } from '../../shared/events/sqs.ts'
import { consume, type Handle } from '../../shared/lambda/consume.ts'
import { type Runtime, withRuntime } from '../../shared/runtime/runtime.ts'
import { openChain } from '../support/chain.ts'
import { createQueues } from '../support/queue.ts'
import { startSqs } from '../support/sqs.ts'
import { use } from '../support/use.ts'

const NAME = 'jobs'
const chain = use(openChain)
const queue = use(async () => {
  const { endpoint, queueUrl, inspect, stop } = await startSqs()
  // As in the stack: six times the time-out of the function.
  await createQueues(endpoint, [NAME], { VisibilityTimeout: '720' })
  return { url: queueUrl(NAME), sqs: openSqs(clientSettings(endpoint)), inspect, stop }
})

/** Sends `count` messages and receives them, each as if it had been received `received` times. */
async function receive(count: number, received = 1) {
  const sender = openSender(queue.sqs, () => queue.url, Date.now)
  const message: Message = { queue: NAME, body: { kind: 'list', list: 'category:0' } }
  await sender.send(Array(count).fill(message))
  const { Messages = [] } = await queue.sqs.call('ReceiveMessage', {
    QueueUrl: queue.url,
    MaxNumberOfMessages: count,
    MessageSystemAttributeNames: ['All'],
  })
  expect(Messages).toHaveLength(count)
  const records = Messages.map(recordOf)
  const attributes = { ApproximateReceiveCount: String(received) }
  return { Records: records.map(each => ({ ...each, attributes: { ...each.attributes, ...attributes } })) }
}

/** Handles a batch. Returns the ids of the messages that failed, and what was logged. */
async function handle(event: Awaited<ReturnType<typeof receive>>, handler: Handle<typeof NAME>) {
  const logged: Parameters<Runtime['log']>[] = []
  const environment = { ...chain.runtime.environment, JOBS_QUEUE_URL: queue.url }
  const log: Runtime['log'] = (...line) => void logged.push(line)
  const runtime = { ...chain.runtime, environment, sqs: queue.sqs, clock: Date.now, log }
  const { batchItemFailures } = await withRuntime(runtime, () => consume(NAME, handler)(event))
  return { failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), logged }
}

describe('a message that fails', () => {
  it.each([
    [1, 'debug'],
    [2, 'debug'],
    [3, 'warn'],
    [MAX_RECEIVES - 1, 'warn'],
    [MAX_RECEIVES, 'error'],
  ])('is logged at attempt %i as %s, because only the last failure is final', async (received, level) => {
    const cause = new Error('The table is throttled.')
    const fail = () => Promise.reject(new Error('One failed.', { cause }))
    const { logged } = await handle(await receive(1, received), fail)
    expect(logged.map(([at]) => at)).toEqual([level])
    const causes = /^Error: One failed\.\n(.*\n)*Caused by: Error: The table is throttled\./
    expect(logged[0]?.[2]?.error).toMatch(causes)
  })

  it('is the only one of its batch that stays, and is retried after seconds', async () => {
    let calls = 0
    const sentMs = Date.now()
    const { failed } = await handle(await receive(3), async () => {
      if (++calls === 2) throw new Error('No.')
    })
    expect([calls, failed]).toEqual([3, [expect.any(String)]])
    const inFlight = queue.inspect(NAME)?.messages.inflight ?? []
    const deadline = inFlight.find(({ message }) => message.messageId === failed[0])?.visibilityDeadline
    // The seconds began at some moment since then: a busy machine may be slow.
    expect(deadline).toBeGreaterThanOrEqual(sentMs + 10_000)
    expect(deadline).toBeLessThanOrEqual(Date.now() + 15_000)
  })
})

describe('a message that fails every time', () => {
  it('is tried for at least an hour before it becomes a dead letter', () => {
    const pauses = Array.from({ length: 19 }, (_, n) => pauseSeconds(n + 1, 0))
    expect(pauses.slice(0, 7)).toEqual([10, 20, 40, 80, 160, 240, 240])
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(3_600)
  })

  it('is spread over half of its pause, so that messages that failed together do not come together', () => {
    expect([0, 0.5, 1].map(random => pauseSeconds(2, random))).toEqual([20, 25, 30])
  })
})
