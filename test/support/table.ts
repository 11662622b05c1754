// Creates an empty table, and counts the requests to it.
import { randomUUID } from 'node:crypto'
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { clientSettings } from '../../infra/local/account.ts'
import { connectLocally, createTable, LOCAL_TIMEOUTS } from '../../infra/local/dynamodb/table.ts'
import { scan } from '../../infra/operator/scan.ts'
import { type ListSizes, openTable, type TableClient } from '../../shared/table/client.ts'
import type { Item } from '../../shared/table/design.ts'
import { interceptable } from './interceptable.ts'
import { openCounter } from './usage.ts'

export type TableWorld = Awaited<ReturnType<typeof openTableAt>>

/** Creates a table under a unique name, with the keys of the key design. `stop` deletes it. */
export async function openTableAt(endpoint: string, listSizes?: ListSizes) {
  const tableName = `test-${randomUUID()}`
  const dynamodb = new DynamoDBClient({ ...clientSettings(endpoint), requestHandler: LOCAL_TIMEOUTS })
  await createTable(endpoint, tableName)
  const { measure, note, watch } = openCounter()
  const client = interceptable(watch(connectLocally(endpoint)))
  return {
    table: openTable(client, tableName, listSizes),
    client,
    /** For the settings of tables. */
    dynamodb,
    tableName,
    endpoint,
    /** Runs a function and counts its sequential round trips and consumed units. */
    measure,
    /** Counts a call to something else than the table. */
    note,
    /** Reads every item. */
    dump: () => dumpOf(client, tableName),
    stop: async () => {
      await dynamodb.send(new DeleteTableCommand({ TableName: tableName }))
      dynamodb.destroy()
      client.destroy()
    },
  }
}

/** The items of a table of a running service. */
export async function dumpAt(endpoint: string, tableName: string): Promise<Item[]> {
  const client = connectLocally(endpoint)
  const items = await dumpOf(client, tableName)
  client.destroy()
  return items
}

export async function dumpOf(client: TableClient, tableName: string): Promise<Item[]> {
  const items: Item[] = []
  for await (const batch of scan(client, tableName)) for (const item of batch) items.push(item)
  return items
}
