// What no emulator has of a table's recovery: the restore, and where a table is from.
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { clientSettings } from '../../infra/local/account.ts'
import { createTable, openLocalTable } from '../../infra/local/dynamodb/table.ts'
import type { Item } from '../../shared/table/design.ts'
import { failure, type Interceptor, json } from '../support/faults/call-proxy.ts'

type RestoreInput = { SourceTableName: string; TargetTableName: string; RestoreDateTime: number }
type Origin = { RestoreDateTime: number; SourceTableArn: string; RestoreInProgress: boolean }

/** `contentAt` returns what a table contained at the moment. */
export function openRecovery(endpoint: string, contentAt: (name: string) => Item[]) {
  const client = new DynamoDBClient(clientSettings(endpoint))
  const origins = new Map<string, Origin>()

  const restore = async ({ SourceTableName, TargetTableName, RestoreDateTime }: RestoreInput) => {
    if (origins.has(TargetTableName)) return failure(400, 'TableAlreadyExistsException')
    origins.set(TargetTableName, {
      RestoreDateTime,
      SourceTableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${SourceTableName}`,
      RestoreInProgress: false,
    })
    await createTable(endpoint, TargetTableName)
    await openLocalTable(endpoint, TargetTableName).putMany(contentAt(SourceTableName))
    return json(200, {})
  }

  const interceptor: Interceptor = async (call, next) => {
    const { operation } = call
    if (operation !== 'RestoreTableToPointInTime' && operation !== 'DescribeTable') return await next(call)
    const input = JSON.parse(call.body.toString())
    const { TableName: name } = input
    if (operation === 'RestoreTableToPointInTime') return await restore(input)
    const answered = await next(call)
    if (answered.status !== 200) return answered
    const { Table } = JSON.parse(answered.body.toString())
    return json(200, { Table: { ...Table, RestoreSummary: origins.get(name) } })
  }

  return {
    interceptor,
    /** Deletes the restored tables of a shared database. */
    stop: async () => {
      for (const TableName of origins.keys()) {
        await client.send(new DeleteTableCommand({ TableName }))
      }
      client.destroy()
    },
  }
}
