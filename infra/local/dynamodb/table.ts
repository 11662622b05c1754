// Creates the one table in the local database, unless it exists.
import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { TTL_ATTRIBUTE } from '../../names.ts'
import { clientSettings } from '../account.ts'

/** The table of a local run. */
export const LOCAL_TABLE = 'content'
const ACTIVE_TIMEOUT_SECONDS = 30

/** With the keys of the key design, as infra/table.ts creates it in the cloud. */
export async function createTable(client: DynamoDBClient, TableName: string): Promise<void> {
  const names = ['pk', 'sk']
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: names.map(AttributeName => ({ AttributeName, AttributeType: 'S' })),
    }),
  )
}

/** Items expire as in the cloud. */
export async function createLocalTable(endpoint: string): Promise<void> {
  const client = new DynamoDBClient(clientSettings(endpoint))
  try {
    await createTable(client, LOCAL_TABLE).catch(error => {
      if (!(error instanceof ResourceInUseException)) throw error
    })
    await waitUntilTableExists(
      { client, maxWaitTime: ACTIVE_TIMEOUT_SECONDS, minDelay: 1, maxDelay: 1 },
      { TableName: LOCAL_TABLE },
    )
    const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true }
    await client
      .send(new UpdateTimeToLiveCommand({ TableName: LOCAL_TABLE, TimeToLiveSpecification }))
      // It is enabled since an earlier start.
      .catch(error => {
        if (!(error instanceof Error && error.name === 'ValidationException')) throw error
      })
  } finally {
    client.destroy()
  }
}
