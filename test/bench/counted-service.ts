// Runs the real functions on one table in this process, and counts every call to the table and to the queues.
import { handler as fanOut } from '../../functions/fan-out.ts'
import { handler as jobs } from '../../functions/jobs.ts'
import { clientSettings } from '../../infra/local/account.ts'
import type { Message, QueueName } from '../../shared/events/message.ts'
import { runtime, setRuntime } from '../../shared/runtime/runtime.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import { connect, openTable } from '../../shared/table/client.ts'
import { openFunctions } from '../support/full-chain.ts'
import { batchOf } from '../support/queue.ts'
import { openCounter } from '../support/usage.ts'
import { LOADED_AT } from './load.ts'

export type CountedService = Awaited<ReturnType<typeof openCountedService>>

/**
 * Makes this process a warm function, since functions share one runtime that is created from the environment.
 * The clock stands still, so that caches in memory stay as fresh as in a busy service.
 */
export async function openCountedService({ endpoint, tableName }: { endpoint: string; tableName: string }) {
  Object.assign(process.env, {
    TABLE_NAME: tableName,
    SITE_URL: 'https://site.example',
    CLIENT_KEY: 'the key of client addresses',
    PRIVATE_KEY: 'the key of links in mails',
    LIMIT_SCALE: '1000000',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  })
  const { watch, note, measure } = openCounter()
  const client = watch(connect(clientSettings(endpoint)))
  // Not the runtime of an earlier test file in this process, which has another environment.
  setRuntime(undefined)
  const functionRuntime = runtime()
  functionRuntime.table = openTable(client, tableName)
  const sent: Message[] = []
  const accept = async (messages: Message[]) => {
    sent.push(...messages)
    return messages.map(() => ({ ok: true }))
  }
  functionRuntime.sender = {
    send: messages =>
      note(
        'send',
        () => accept(messages),
        () => 0,
      ),
  }
  functionRuntime.clock = () => LOADED_AT * 1000
  functionRuntime.log = () => undefined

  /** Each post alone, as on a quiet site, and without waiting for others. */
  const mergeAlone = () =>
    updateIndex({
      table: functionRuntime.table,
      clock: functionRuntime.clock,
      log: functionRuntime.log,
    })

  /** Processes the messages of events, clean-ups and the index until none is left, without subscribers. */
  const drainQueues = async (): Promise<void> => {
    while (sent.length > 0) {
      const messages = sent.splice(0)
      const bodiesOf = (queue: QueueName) =>
        messages.filter(message => message.queue === queue).map(({ body }) => body)
      if (bodiesOf('events').length > 0) await fanOut(batchOf(...bodiesOf('events')))
      if (bodiesOf('jobs').length > 0) await jobs(batchOf(...bodiesOf('jobs')))
      if (bodiesOf('index').length > 0) await mergeAlone()
    }
  }

  return {
    table: functionRuntime.table,
    nowSeconds: LOADED_AT,
    call: await openFunctions(),
    measure,
    drainQueues,
    stop: () => {
      client.destroy()
      setRuntime(undefined)
    },
  }
}
