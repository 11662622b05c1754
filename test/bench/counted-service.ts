// Runs the real functions on one table in this process, and counts every call to the table and to the queues.
import { handler as fanOut } from '../../functions/fan-out.ts'
import { handler as jobs } from '../../functions/jobs.ts'
import { clientSettings } from '../../infra/local/account.ts'
import type { Message, QueueName } from '../../shared/events/message.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { type Runtime, setRuntime } from '../../shared/runtime/runtime.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import { openTable } from '../../shared/table/client.ts'
import { openFunctions } from '../support/full-chain.ts'
import { batchOf } from '../support/queue.ts'
import type { TableWorld } from '../support/table.ts'
import { LOADED_AT } from './load.ts'

export const PRIVATE_KEY = 'the key of links in mails'

export type CountedService = Awaited<ReturnType<typeof openCountedService>>

/**
 * Makes this process a warm function, since functions share one runtime. The clock stands still, so that
 * caches in memory stay as fresh as in a busy service.
 */
export async function openCountedService({ client, tableName, measure, note }: TableWorld) {
  const sent: Message[] = []
  const accept = async (messages: Message[]) => {
    sent.push(...messages)
    return messages.map(() => ({ ok: true }))
  }
  const runtime: Runtime = {
    environment: readEnvironment({
      TABLE_NAME: tableName,
      SITE_URL: 'https://site.example',
      CLIENT_KEY: 'the key of client addresses',
      PRIVATE_KEY,
      LIMIT_SCALE: '1000000',
    }),
    table: openTable(client, tableName),
    sqs: openSqs(clientSettings('http://127.0.0.1:9')),
    sender: {
      send: messages =>
        note(
          'send',
          () => accept(messages),
          () => 0,
        ),
    },
    clock: () => LOADED_AT * 1000,
    log: () => undefined,
  }
  setRuntime(runtime)

  /** Processes the messages of events, clean-ups and the index until none is left, without subscribers. */
  const drainQueues = async (): Promise<void> => {
    while (sent.length > 0) {
      const messages = sent.splice(0)
      const bodiesOf = (queue: QueueName) =>
        messages.filter(message => message.queue === queue).map(({ body }) => body)
      if (bodiesOf('events').length > 0) await fanOut(batchOf(...bodiesOf('events')))
      if (bodiesOf('jobs').length > 0) await jobs(batchOf(...bodiesOf('jobs')))
      // Each post alone, as on a quiet site, and without waiting for others.
      if (bodiesOf('index').length > 0) await updateIndex(runtime)
    }
  }

  /** Runs a change as another function, so that nothing that it keeps in memory is kept for later reads. */
  const elsewhere = async <T>(run: () => Promise<T>): Promise<T> => {
    setRuntime({ ...runtime, table: openTable(client, tableName) })
    try {
      return await run()
    } finally {
      setRuntime(runtime)
    }
  }

  return {
    table: runtime.table,
    nowSeconds: LOADED_AT,
    call: await openFunctions(),
    measure,
    elsewhere,
    drainQueues,
    stop: () => setRuntime(undefined),
  }
}
