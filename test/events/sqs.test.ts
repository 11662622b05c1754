// The queues: where messages go, and what becomes of those that only say that there is work.
import { describe, expect, it } from 'vitest'
import { ACCOUNT_ID, clientSettings } from '../../infra/local/account.ts'
import { QUEUE_NAMES, QUEUES } from '../../shared/events/message.ts'
import { openSender, openSqs } from '../../shared/events/sqs.ts'
import { INDEX_MESSAGE } from '../../shared/search/index-actions.ts'
import { idOf, readTemplate } from '../shape/template.ts'
import { createQueues } from '../support/queue.ts'
import { startSqs } from '../support/sqs.ts'
import { use } from '../support/use.ts'
import { NOW_MS } from './outbox-world.ts'

const sqs = use(startSqs)

/** The host does not exist, as in a queue URL that is only valid inside another network. */
const QUEUE_URL = `http://sqs.invalid:4566/${ACCOUNT_ID}/jobs`

it('a message goes to the endpoint of the client, and not to the host in the URL of its queue', async () => {
  const client = openSqs(clientSettings(sqs.endpoint))
  await createQueues(sqs.endpoint, ['jobs'])
  const message = { queue: 'jobs' as const, body: { kind: 'list' as const, list: 'a list' } }
  expect(await openSender(client, () => QUEUE_URL, Date.now).send([message])).toEqual([{ ok: true }])
  const { Messages: [received] = [] } = await client.call('ReceiveMessage', { QueueUrl: QUEUE_URL })
  await client.call('DeleteMessage', { QueueUrl: QUEUE_URL, ReceiptHandle: received?.ReceiptHandle })
  expect(sqs.depth('jobs')).toMatchObject({ visible: 0, inFlight: 0 })
  client.destroy()
})

describe('the queue of the index', () => {
  it('keeps one message of a second, whichever function sent it, and another one of the next', async () => {
    const client = openSqs(clientSettings(sqs.endpoint))
    const QueueName = 'index.fifo'
    await createQueues(sqs.endpoint, [QueueName])
    let nowMs = NOW_MS - (NOW_MS % 1_000)
    const clock = () => nowMs
    const [one, other] = [1, 2].map(() => openSender(client, () => sqs.queueUrl(QueueName), clock))
    for (const _ of [1, 2]) expect(await one?.send([INDEX_MESSAGE])).toEqual([{ ok: true }])
    nowMs += 999
    expect(await other?.send([INDEX_MESSAGE])).toEqual([{ ok: true }])
    expect(sqs.depth(QueueName).visible).toBe(1)
    nowMs += 1
    await one?.send([INDEX_MESSAGE])
    expect(sqs.depth(QueueName).visible).toBe(2)
    client.destroy()
  })

  it('is not called for a second that it has already accepted, and again after a call that failed', async () => {
    const outcomes: ('fails' | 'succeeds')[] = []
    let works = false
    const call = async () => {
      outcomes.push(works ? 'succeeds' : 'fails')
      if (!works) throw new Error('The queue is away.')
      return {}
    }
    const urlOf = () => QUEUE_URL
    const { send } = openSender({ call }, urlOf, () => NOW_MS)
    expect(await send([INDEX_MESSAGE])).toMatchObject([{ ok: false }])
    works = true
    for (const _ of [1, 2, 3]) expect(await send([INDEX_MESSAGE])).toEqual([{ ok: true }])
    expect(outcomes).toEqual(['fails', 'succeeds'])
  })

  it('delays its messages until the second is over by every clock, and no other queue delays any', () => {
    const queues = readTemplate().of('AWS::SQS::Queue')
    for (const name of QUEUE_NAMES) {
      const queue = queues.find(({ id }) => id.toLowerCase().startsWith(`${idOf(name)}queue`))
      const delay = QUEUES[name].isFifo ? 2 : undefined
      expect([name, queue?.properties.DelaySeconds]).toEqual([name, delay])
    }
  })
})
