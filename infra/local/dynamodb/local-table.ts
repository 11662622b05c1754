// Opens the table of a local run with the service's own table code.
import { openTable, type Table } from '../../../shared/table/client.ts'
import { connect, type TableClient } from '../../../shared/table/connect.ts'
import { clientSettings } from '../account.ts'

/** Generous timeouts: an emulator on a busy machine can be slow, and no client waits for an answer. */
export const LOCAL_TIMEOUTS = {
  connectionTimeout: 10_000,
  requestTimeout: 20_000,
  throwOnRequestTimeout: true,
}

export function openLocalTable(endpoint: string, tableName: string): Table {
  return openTable(connectLocally(endpoint), tableName)
}

/** Connects to the emulator as its owner, who may call everything. */
export function connectLocally(endpoint: string): TableClient {
  return connect({ ...clientSettings(endpoint), requestHandler: LOCAL_TIMEOUTS })
}
