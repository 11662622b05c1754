// Creates an empty table, and counts the requests to it.
import { randomUUID } from 'node:crypto'
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { clientSettings } from '../../infra/local/account.ts'
import { startDynamodb } from '../../infra/local/dynamodb/database.ts'
import { connectLocally, LOCAL_TIMEOUTS } from '../../infra/local/dynamodb/local-table.ts'
import { createTable } from '../../infra/local/dynamodb/table.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { type Item, itemOf } from '../../shared/table/key.ts'
import { openCounter, type Usage } from './usage.ts'

export type TableWorld = {
  table: Table
  client: DynamoDBDocumentClient
  tableName: string
  endpoint: string
  /** Runs a function and counts its sequential round trips and consumed units. */
  measure<T>(run: () => Promise<T>): Promise<{ result: T; used: Usage }>
  /** Reads every item. */
  dump(): Promise<Item[]>
  stop(): Promise<void>
}

/** Creates a table in its own database. `newTable` uses the one that test files share. */
export async function startTable(): Promise<TableWorld> {
  const dynamodb = await startDynamodb()
  const world = await openTableAt(dynamodb.endpoint)
  const stop = async () => {
    await world.stop()
    await dynamodb.stop()
  }
  return { ...world, stop }
}

/** Creates a table under a unique name, with the keys of the key design. `stop` deletes it. */
export async function openTableAt(endpoint: string): Promise<TableWorld> {
  const tableName = `test-${randomUUID()}`
  const owner = new DynamoDBClient({ ...clientSettings(endpoint), requestHandler: LOCAL_TIMEOUTS })
  await createTable(owner, tableName)
  const client = connectLocally(endpoint)
  const { measure, watch } = openCounter()
  watch(client)
  const dump = () => dumpOf(client, tableName)
  const stop = async () => {
    await owner.send(new DeleteTableCommand({ TableName: tableName }))
    owner.destroy()
    client.destroy()
  }
  return {
    table: openTable(client, tableName),
    client,
    tableName,
    endpoint,
    measure,
    dump,
    stop,
  }
}

/** The items of a table of a running service. */
export async function dumpAt(endpoint: string, tableName: string): Promise<Item[]> {
  const client = connectLocally(endpoint)
  const items = await dumpOf(client, tableName)
  client.destroy()
  return items
}

export async function dumpOf(client: DynamoDBDocumentClient, TableName: string): Promise<Item[]> {
  const items: Item[] = []
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) items.push(...Items.map(itemOf))
  return items
}
