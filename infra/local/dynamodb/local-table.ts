// The table of a local run, opened with the service's own table code.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { openTable, type Table } from '../../../shared/table/client.ts'
import { clientOf } from '../account.ts'

export const openLocalTable = (endpoint: string, tableName: string): Table =>
  openTable(
    DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(endpoint)), {
      marshallOptions: { removeUndefinedValues: true },
    }),
    tableName,
  )
