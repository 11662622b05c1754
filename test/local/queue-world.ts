// Queues of a template in the real emulator, and a poller with a function of the test.
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { onTestFinished } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import type { EventSourceMapping } from '../../infra/local/queues/event-sources.ts'
import { type Sqs, startSqs } from '../../infra/local/queues.ts'
import { startPollers } from '../../infra/local/queues/pollers.ts'
import { createQueues, queueRefs } from '../../infra/local/queues/queues.ts'
import { resolver } from '../../infra/local/template/template.ts'
import { createTemplate, PSEUDO_PARAMETERS, type TestContext } from './assembly.ts'
import { QUEUES as smallStackQueues } from './small-stack.ts'

type Resources = Parameters<typeof createTemplate>[0]

type QueueOptions = {
  resources?: Resources
  /** Messages outlive the queues here. */
  folder?: string
  test?: TestContext
}

/** Stops after the test, unless the test stops it. */
export async function startQueues({
  resources = smallStackQueues,
  folder,
  test = { onTestFinished },
}: QueueOptions = {}) {
  const sqs: Sqs = await startSqs(folder)
  const client = new SQSClient(clientSettings(sqs.endpoint))
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    client.destroy()
    await sqs.stop()
  }
  test.onTestFinished(stop)

  const template = createTemplate(resources, {}, {}, test)
  const queues = template.resourcesOf('AWS::SQS::Queue')
  const refs = queueRefs(queues, sqs)
  const resolve = resolver(template, { parameters: {}, refs, pseudo: PSEUDO_PARAMETERS, secret: id => id })
  await createQueues({ resources: queues, resolve, sqs })
  const ref = (id: string) => refs.get(id) ?? { ref: '', attributes: {} }
  return {
    sqs,
    client,
    stop,
    test,
    url: (id: string) => ref(id).ref,
    arn: (id: string) => ref(id).attributes.Arn ?? '',
    depth: (id: string) => sqs.depth(ref(id).attributes.QueueName ?? ''),
    send: (id: string, body: string, members: object = {}) =>
      client.send(new SendMessageCommand({ QueueUrl: ref(id).ref, MessageBody: body, ...members })),
  }
}

export type Queues = Awaited<ReturnType<typeof startQueues>>

/** Polls one queue with a function of the test until the test ends. */
export function poll(
  queues: Queues,
  id: string,
  handler: (event: SQSEvent) => unknown,
  options: Partial<EventSourceMapping> = {},
) {
  const lines: string[] = []
  const mapping: EventSourceMapping = {
    queueUrl: queues.url(id),
    queueArn: queues.arn(id),
    functionId: 'Worker',
    batchSize: 10,
    maximumConcurrency: 5,
    reportsFailures: true,
    ...options,
  }
  const pollers = startPollers({
    mappings: [mapping],
    endpoint: queues.sqs.endpoint,
    invoke: async (_, event) => handler(event as SQSEvent),
    log: line => void lines.push(line),
  })
  queues.test.onTestFinished(() => pollers.stop())
  return { lines, stop: pollers.stop }
}
