// The template's queues in the emulator: names, attributes, and restarts.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    const queues = await startQueues({ Ordered: { Type: 'AWS::SQS::Queue', Properties } })
    expect(queues.url('Ordered')).toMatch(/Ordered\.fifo$/)
    const received: string[] = []
    for (const body of ['1', '2', '3', '3']) await queues.send('Ordered', body, { MessageGroupId: 'one' })
    poll(queues, 'Ordered', ({ Records }) => {
      received.push(...Records.map(({ body, attributes }) => `${attributes.MessageGroupId} ${body}`))
    })
    await eventually(() => expect(received).toEqual(['one 1', 'one 2', 'one 3']))
  })
})

describe('queues in a folder', () => {
  it('keep their messages after a restart and get changed attributes', async () => {
    const folder = await newFolder()
    const before = await startQueues(two, folder)
    await before.send(WORK, 'kept')
    await before.stop()
    const { [WORK]: changed } = structuredClone(two)
    changed.Properties.VisibilityTimeout = 7
    const after = await startQueues({ ...two, [WORK]: changed }, folder)
    expect(after.depth(WORK)).toMatchObject({ visible: 1 })
    expect(await attributesOf(after, WORK)).toMatchObject({ VisibilityTimeout: '7' })
  })

  it('make messages visible again that were in flight at the end of the last run', async () => {
    const folder = await newFolder()
    const slow = structuredClone(two)
    slow[WORK].Properties.VisibilityTimeout = 300
    const before = await startQueues(slow, folder)
    await before.send(WORK, 'interrupted')
    await before.client.send(new ReceiveMessageCommand({ QueueUrl: before.url(WORK) }))
    await before.stop()
    const after = await startQueues(slow, folder)
    const received: string[] = []
    poll(after, WORK, ({ Records }) => void received.push(...Records.map(({ body }) => body)))
    await eventually(() => expect(received).toEqual(['interrupted']))
  })
})
