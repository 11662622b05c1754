// Runs the real functions on one table in this process, and counts every call to the table and to the queues.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { handler as indexSearch } from '../../functions/index-search.ts'
import { handler as tidy } from '../../functions/tidy.ts'
import { clientSettings } from '../../infra/local/account.ts'
import type { Message, QueueName } from '../../shared/events/message.ts'
import { runtime } from '../../shared/runtime/runtime.ts'
import { openTable } from '../../shared/table/client.ts'
import { batchOf } from '../world/queue.ts'
import { openCounter } from '../world/usage.ts'
import { LOADED_AT } from './load.ts'

export type CountedService = ReturnType<typeof openCountedService>

/**
 * Makes this process a warm function, since functions share one runtime that is created from the environment.
 * The clock stands still, so that caches in memory stay as fresh as in a busy service.
 */
export function openCountedService({ endpoint, tableName }: { endpoint: string; tableName: string }) {
  Object.assign(process.env, {
    TABLE_NAME: tableName,
    SITE_URL: 'https://site.example',
    CLIENT_KEY: 'the key of client addresses',
    LINK_KEY: 'the key of links in mails',
    LIMIT_SCALE: '1000000',
    AWS_REGION: 'us-east-1',
  })
  const client = new DynamoDBClient(clientSettings(endpoint))
  const { watch, note, measure } = openCounter()
  watch(client)
  const functionRuntime = runtime()
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  functionRuntime.table = openTable(documents, tableName)
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

  /** Processes the messages of the tidy and index queues until none is left. */
  const drainQueues = async (): Promise<void> => {
    while (sent.length > 0) {
      const messages = sent.splice(0)
      const bodiesOf = (queue: QueueName) =>
        messages.filter(message => message.queue === queue).map(({ body }) => body)
      await tidy(batchOf(...bodiesOf('tidy')))
      await indexSearch(batchOf(...bodiesOf('index')))
    }
  }
  return {
    table: functionRuntime.table,
    nowSeconds: LOADED_AT,
    measure,
    drainQueues,
    stop: () => client.destroy(),
  }
}
