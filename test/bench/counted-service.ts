// The real functions on one table, in this process: every call to the table and to the queues is counted.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { clientOf } from '../../infra/local/account.ts'
import { runtime } from '../../shared/lambda/runtime.ts'
import { openTable } from '../../shared/table/client.ts'
import { openCounter } from '../world/used.ts'
import { LOADED_AT } from './load.ts'

export type CountedService = ReturnType<typeof openCountedService>

/**
 * Functions share one runtime, made of the environment: this process becomes that of a warm function. Its
 * clock stands, so that what functions keep in memory stays as fresh as in a busy service.
 */
export const openCountedService = ({ endpoint, tableName }: { endpoint: string; tableName: string }) => {
  Object.assign(process.env, {
    TABLE_NAME: tableName,
    SITE_URL: 'https://site.example',
    CLIENT_KEY: 'the key of client addresses',
    LIMIT_SCALE: '1000000',
    AWS_REGION: 'us-east-1',
  })
  const client = new DynamoDBClient(clientOf(endpoint))
  const { watch, note, measure } = openCounter()
  watch(client)
  const world = runtime()
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  world.table = openTable(documents, tableName)
  world.sender = {
    send: messages =>
      note(
        'send',
        async () => messages.map(() => ({ ok: true })),
        () => 0,
      ),
  }
  world.clock = () => LOADED_AT * 1000
  world.log = () => undefined
  return { table: world.table, nowSeconds: LOADED_AT, measure, stop: () => client.destroy() }
}
