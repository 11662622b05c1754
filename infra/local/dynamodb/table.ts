// The one table of a local run: created in the emulator, and opened with the service's own table code.
import type * as DynamoDB from '@aws-sdk/client-dynamodb'
import { type Client, openClient } from '../../../shared/aws/client.ts'
import { DYNAMODB } from '../../../shared/aws/services.ts'
import { connect, openTable, type Table, type TableClient } from '../../../shared/table/client.ts'
import { TTL_ATTRIBUTE } from '../../names.ts'
import { clientSettings } from '../account.ts'

/** The table of a local run. */
export const LOCAL_TABLE = 'content'

/** Generous timeouts: an emulator on a busy machine can be slow, and no client waits for an answer. */
export const LOCAL_TIMEOUTS = {
  connectionTimeout: 10_000,
  requestTimeout: 20_000,
  throwOnRequestTimeout: true,
}

/** The settings for a client of the emulator's owner, who may call everything. */
function ownerSettings(endpoint: string) {
  return { ...clientSettings(endpoint), requestHandler: LOCAL_TIMEOUTS }
}

export function connectLocally(endpoint: string): TableClient {
  return connect(ownerSettings(endpoint))
}

export function openLocalTable(endpoint: string, tableName: string): Table {
  return openTable(connectLocally(endpoint), tableName)
}

type Settings = {
  CreateTable: [DynamoDB.CreateTableInput, object]
  UpdateTimeToLive: [DynamoDB.UpdateTimeToLiveInput, object]
}

/** Creates the table of the run, unless it exists. Its items expire as in the cloud. */
export async function createLocalTable(endpoint: string): Promise<void> {
  const client = openClient<Settings>(DYNAMODB, ownerSettings(endpoint))
  try {
    await create(client, LOCAL_TABLE).catch(unless('ResourceInUseException'))
    const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true }
    await client
      .call('UpdateTimeToLive', { TableName: LOCAL_TABLE, TimeToLiveSpecification })
      // It is enabled since an earlier start.
      .catch(unless('ValidationException'))
  } finally {
    client.destroy()
  }
}

/** Creates a table whose items do not expire. */
export async function createTable(endpoint: string, tableName: string): Promise<void> {
  const client = openClient<Settings>(DYNAMODB, ownerSettings(endpoint))
  await create(client, tableName).finally(() => client.destroy())
}

/** With the keys of the key design, as infra/table.ts creates it in the cloud. */
async function create({ call }: Client<Settings>, TableName: string): Promise<void> {
  await call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
  })
}

/** Ignores errors of this name. */
function unless(name: string) {
  return (error: unknown) => {
    if (!(error instanceof Error && error.name === name)) throw error
  }
}
