// The webhook workers in this process, on their own table and queues.
import { handler as deliverHandler } from '../../functions/deliver-webhooks.ts'
import { clientSettings } from '../../infra/local/account.ts'
import { type EventMessage, type Message, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { openSender, openSqs, type Sender } from '../../shared/events/sqs.ts'
import type { QueueEvent } from '../../shared/lambda/consume.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { type Runtime, withRuntime } from '../../shared/runtime/runtime.ts'
import { visibilitySeconds } from '../../shared/service/workers.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { fanOut } from '../../shared/webhooks/commands/deliver.ts'
import { newTable } from '../support/new-table.ts'
import { consumeAll, createQueues } from '../support/queue.ts'
import { startSqs } from '../support/sqs.ts'
import { droppingSender } from '../support/work.ts'

export const environment = readEnvironment({
  TABLE_NAME: 'test',
  SERVICE_VERSION: '1.2.3',
  SITE_URL: 'https://site.example',
  PRIVATE_KEY: 'the key of webhook secrets',
  ALLOW_LOOPBACK_WEBHOOKS: 'true',
})

/** All messages of a batch leave the queue. */
export const DONE = { batchItemFailures: [] }

/** The calls of the table at which a function may die: before it is done, or after. */
export const MOMENTS = (['findMany', 'write', 'transact'] as const).flatMap(call =>
  [false, true].map(isWritten => ({ call, isWritten })),
)

export type LogLine = Record<string, unknown> & { level: string; message: string }

export async function startWorkers() {
  const [{ table, client: tableClient, tableName, measure, stop }, sqs] = await Promise.all([
    newTable(),
    startSqs(),
  ])
  const client = openSqs(clientSettings(sqs.endpoint))
  const VisibilityTimeout = String(visibilitySeconds('deliveries'))
  await createQueues(sqs.endpoint, Object.keys(QUEUES), { VisibilityTimeout })
  const sender = openSender(client, (name: QueueName) => sqs.queueUrl(name), Date.now)
  const logged: LogLine[] = []
  const runtime: Runtime = {
    environment,
    table,
    sqs: client,
    sender,
    clock: Date.now,
    log: (level, message, details) => logged.push({ level, message, ...details }),
  }
  const deliverWith = (own: Runtime) => (event: QueueEvent) => withRuntime(own, () => deliverHandler(event))
  const deliverBatch = deliverWith(runtime)

  /**
   * Another function, with a memory and a clock of its own, and a table with changed calls. `sent` gets the
   * deliveries that it sends again; `refuses`: their queue does not accept them.
   */
  const openFunction = (changes: Partial<Table> = {}, { refuses = false } = {}) => {
    const table = { ...openTable(tableClient, tableName), ...changes }
    let aheadMs = 0
    const clock = () => Date.now() + aheadMs
    const sent: Message<'deliveries'>[] = []
    const send: Sender['send'] = async messages => {
      for (const message of messages) if (message.queue === 'deliveries' && !refuses) sent.push(message)
      await sender.send(messages.filter(({ queue }) => queue !== 'deliveries'))
      return messages.map(({ queue }) => ({ ok: !refuses || queue !== 'deliveries' }))
    }
    const own = { ...runtime, table, clock, sender: { send } }
    return {
      sent,
      advance: (ms: number) => {
        aheadMs += ms
      },
      deliverBatch: deliverWith(own),
      /** Its messages go nowhere. */
      fanOut: (event: EventMessage) => fanOut(event, { table, sender: droppingSender, nowMs: clock() }),
    }
  }
  /** Runs a function with the batch until it dies at the call, of which nothing returns. */
  const dieAt = (call: (typeof MOMENTS)[number]['call'], isWritten: boolean, batch: QueueEvent) =>
    new Promise<void>(resolve => {
      const dying =
        <Args extends unknown[]>(run: (...args: Args) => Promise<unknown>) =>
        async (...args: Args): Promise<never> => {
          if (isWritten) await run(...args)
          resolve()
          return await new Promise<never>(() => {})
        }
      const { findMany, write, transact } = table
      const all = { findMany: dying(findMany), write: dying(write), transact: dying(transact) }
      void openFunction({ [call]: all[call] }).deliverBatch(batch)
    })
  return {
    ...runtime,
    dieAt,
    nowMs: Date.now(),
    logged,
    measure,
    deliverBatch,
    openFunction,
    queueUrl: sqs.queueUrl,
    /** Delivers all messages in the queue. Returns how many succeeded and how many failed. */
    drainDeliveries: () => consumeAll(client, sqs.queueUrl('deliveries'), deliverBatch),
    queued: () => sqs.depth('deliveries').visible,
    isQueueEmpty: () => Object.values(sqs.depth('deliveries')).every(count => count === 0),
    queuedMails: () => sqs.depth('jobs').visible,
    stop: async () => {
      client.destroy()
      await Promise.all([stop(), sqs.stop()])
    },
  }
}

export type Workers = Awaited<ReturnType<typeof startWorkers>>
