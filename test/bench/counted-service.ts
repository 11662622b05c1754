// The real functions on one table, in this process: every call to the table and to the queues is counted.
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
 * Functions share one runtime, made of the environment: this process becomes that of a warm function. Its
 * clock stands, so that what functions keep in memory stays as fresh as in a busy service.
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
  const world = runtime()
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  world.table = openTable(documents, tableName)
  const sent: Message[] = []
  const taken = async (messages: Message[]) => {
    sent.push(...messages)
    return messages.map(() => ({ ok: true }))
  }
  world.sender = {
    send: messages =>
      note(
        'send',
        () => taken(messages),
        () => 0,
      ),
  }
  world.clock = () => LOADED_AT * 1000
  world.log = () => undefined

  /** Does what was sent to the queues of work that goes on after an answer, and leaves a table in which all is done. */
  const workOff = async (): Promise<void> => {
    while (sent.length > 0) {
      const messages = sent.splice(0)
      const bodiesOf = (queue: QueueName) =>
        messages.filter(message => message.queue === queue).map(({ body }) => body)
      await tidy(batchOf(...bodiesOf('tidy')))
      await indexSearch(batchOf(...bodiesOf('index')))
    }
  }
  return { table: world.table, nowSeconds: LOADED_AT, measure, workOff, stop: () => client.destroy() }
}
