// The template's queues in the emulator: names, attributes, and restarts.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseEndpoint } from '../../infra/local/door/endpoint.ts'
import { eventually } from './eventually.ts'
import { poll, type Queues, startQueues } from './queue-world.ts'
import { QUEUES as two } from './small-stack.ts'

const WORK = 'WorkQueue0A1B2C3D'
const DEAD_LETTERS = 'WorkDeadLetters4E5F6A7B'

async function attributesOf(queues: Queues, id: string) {
  const command = new GetQueueAttributesCommand({ QueueUrl: queues.url(id), AttributeNames: ['All'] })
  return (await queues.client.send(command)).Attributes
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'queues-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('a queue of the template', () => {
  it('gets its attributes and its dead-letter queue from the template', async () => {
    const queues = await startQueues()
    const attributes = await attributesOf(queues, WORK)
    expect(attributes).toMatchObject({ VisibilityTimeout: '3', QueueArn: queues.arn(WORK) })
    const rule = { deadLetterTargetArn: queues.arn(DEAD_LETTERS), maxReceiveCount: 2 }
    expect(JSON.parse(attributes?.RedrivePolicy ?? '')).toEqual(rule)
    expect(await attributesOf(queues, DEAD_LETTERS)).toMatchObject({ MessageRetentionPeriod: '1209600' })
  })

  it('gets a URL on this machine', async () => {
    const queues = await startQueues()
    expect(queues.url(WORK)).toBe(`${parseEndpoint(queues.sqs.endpoint).url}/000000000000/${WORK}`)
  })

  it('keeps the order of each group if it is a FIFO queue', async () => {
    const Properties = { FifoQueue: true, ContentBasedDeduplication: true, VisibilityTimeout: 30 }
    const queues = await startQueues({ resources: { Ordered: { Type: 'AWS::SQS::Queue', Properties } } })
    expect(queues.url('Ordered')).toMatch(/Ordered\.fifo$/)
    const received: string[] = []
    for (const body of ['1', '2', '3', '3']) await queues.send('Ordered', body, { MessageGroupId: 'one' })
    poll(queues, 'Ordered', ({ Records }) => {
      received.push(...Records.map(({ body, attributes }) => `${attributes.MessageGroupId} ${body}`))
    })
    await eventually(() => expect(received).toEqual(['one 1', 'one 2', 'one 3']))
  })
})

/** Sends a request from another thread, which sets `status[0]` to the status of the answer. */
const CLIENT = `
  const { workerData: { url, headers, status } } = require('node:worker_threads')
  fetch(url, { method: 'POST', headers, body: '{}' }).then(answer => {
    Atomics.store(status, 0, answer.status)
    Atomics.notify(status, 0)
  })
`

describe('the thread of the queues', () => {
  it('answers while the thread of the gateway is busy', async () => {
    const { sqs } = await startQueues()
    const { url, key } = parseEndpoint(sqs.endpoint)
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.ListQueues',
      'x-amz-security-token': key,
    }
    const status = new Int32Array(new SharedArrayBuffer(4))
    const client = new Worker(CLIENT, { eval: true, workerData: { url, headers, status } })
    Atomics.wait(status, 0, 0, 60_000)
    expect(status[0]).toBe(200)
    await client.terminate()
  })

  it('reports why the queues do not start', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'a file'), '')
    await expect(startQueues({ resources: two, folder: join(folder, 'a file') })).rejects.toThrow(/a file/)
  })
})

describe('queues in a folder', () => {
  it('keep their messages after a restart and get changed attributes', async () => {
    const folder = await newFolder()
    const before = await startQueues({ resources: two, folder })
    await before.send(WORK, 'kept')
    await before.stop()
    const { [WORK]: changed } = structuredClone(two)
    changed.Properties.VisibilityTimeout = 7
    const after = await startQueues({ resources: { ...two, [WORK]: changed }, folder })
    expect(after.depth(WORK)).toMatchObject({ visible: 1 })
    expect(await attributesOf(after, WORK)).toMatchObject({ VisibilityTimeout: '7' })
  })

  it('make messages visible again that were in flight at the end of the last run', async () => {
    const folder = await newFolder()
    const slow = structuredClone(two)
    slow[WORK].Properties.VisibilityTimeout = 300
    const before = await startQueues({ resources: slow, folder })
    await before.send(WORK, 'interrupted')
    await before.client.send(new ReceiveMessageCommand({ QueueUrl: before.url(WORK) }))
    await before.stop()
    const after = await startQueues({ resources: slow, folder })
    const received: string[] = []
    poll(after, WORK, ({ Records }) => void received.push(...Records.map(({ body }) => body)))
    await eventually(() => expect(received).toEqual(['interrupted']))
  })

  it('release a message later each time, so that quick restarts do not make a dead letter of it', async () => {
    const folder = await newFolder()
    const slow = structuredClone(two)
    slow[WORK].Properties.VisibilityTimeout = 300
    slow[WORK].Properties.RedrivePolicy.maxReceiveCount = 20
    const first = await startQueues({ resources: slow, folder })
    await first.send(WORK, 'interrupted')
    let queues = first
    for (let received = 1; received <= 3; received++) {
      const command = new ReceiveMessageCommand({ QueueUrl: queues.url(WORK), WaitTimeSeconds: 20 })
      expect((await queues.client.send(command)).Messages).toHaveLength(1)
      await queues.stop()
      const startedMs = Date.now()
      queues = await startQueues({ resources: slow, folder })
      const [released] = queues.sqs.inspect(WORK)?.messages.inflight ?? []
      const earliestMs = startedMs + 1000 * 2 ** (received - 1)
      expect(released?.visibilityDeadline).toBeGreaterThanOrEqual(earliestMs)
      expect(released?.visibilityDeadline).toBeLessThan(startedMs + 300_000)
    }
  })
})
