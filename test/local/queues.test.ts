// The template's queues in the emulator: names, attributes, and restarts.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseEndpoint } from '../../infra/local/door/endpoint.ts'
import { eventually } from './eventually.ts'
import { poll, type Queues, startQueues } from './queue-world.ts'
import { queues as two } from './small-stack.ts'

const work = 'WorkQueue0A1B2C3D'
const deadLetters = 'WorkDeadLetters4E5F6A7B'

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
    const attributes = await attributesOf(queues, work)
    expect(attributes).toMatchObject({ VisibilityTimeout: '3', QueueArn: queues.arn(work) })
    const rule = { deadLetterTargetArn: queues.arn(deadLetters), maxReceiveCount: 2 }
    expect(JSON.parse(attributes?.RedrivePolicy ?? '')).toEqual(rule)
    expect(await attributesOf(queues, deadLetters)).toMatchObject({ MessageRetentionPeriod: '1209600' })
  })

  it('gets a URL on this machine', async () => {
    const queues = await startQueues()
    expect(queues.url(work)).toBe(`${parseEndpoint(queues.sqs.endpoint).url}/000000000000/${work}`)
  })

  it('keeps the order of each group if it is a FIFO queue', async () => {
    const Properties = { FifoQueue: true, ContentBasedDeduplication: true, VisibilityTimeout: 30 }
    const queues = await startQueues({ Ordered: { Type: 'AWS::SQS::Queue', Properties } })
    expect(queues.url('Ordered')).toMatch(/Ordered\.fifo$/)
    const seen: string[] = []
    for (const body of ['1', '2', '3', '3']) await queues.send('Ordered', body, { MessageGroupId: 'one' })
    poll(queues, 'Ordered', ({ Records }) => {
      seen.push(...Records.map(({ body, attributes }) => `${attributes.MessageGroupId} ${body}`))
    })
    await eventually(() => expect(seen).toEqual(['one 1', 'one 2', 'one 3']))
  })
})

describe('queues in a folder', () => {
  it('keep their messages after a restart and get changed attributes', async () => {
    const folder = await newFolder()
    const before = await startQueues(two, folder)
    await before.send(work, 'kept')
    await before.stop()
    const { [work]: changed } = structuredClone(two)
    changed.Properties.VisibilityTimeout = 7
    const after = await startQueues({ ...two, [work]: changed }, folder)
    expect(after.depth(work)).toMatchObject({ visible: 1 })
    expect(await attributesOf(after, work)).toMatchObject({ VisibilityTimeout: '7' })
  })

  it('make messages visible again that were in flight at the end of the last run', async () => {
    const folder = await newFolder()
    const slow = structuredClone(two)
    slow[work].Properties.VisibilityTimeout = 300
    const before = await startQueues(slow, folder)
    await before.send(work, 'interrupted')
    await before.client.send(new ReceiveMessageCommand({ QueueUrl: before.url(work) }))
    await before.stop()
    const after = await startQueues(slow, folder)
    const seen: string[] = []
    poll(after, work, ({ Records }) => void seen.push(...Records.map(({ body }) => body)))
    await eventually(() => expect(seen).toEqual(['interrupted']))
  })
})
