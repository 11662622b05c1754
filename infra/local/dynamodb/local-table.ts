// The table of a local run, opened with the service's own table code.
import { openTable, type Table } from '../../../shared/table/client.ts'
import { connect } from '../../../shared/table/connect.ts'
import { clientOf } from '../account.ts'

export const openLocalTable = (endpoint: string, tableName: string): Table =>
  openTable(connect(clientOf(endpoint)), tableName)
