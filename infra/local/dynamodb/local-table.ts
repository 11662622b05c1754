// The table of a local run, opened with the service's own table code.
import { openTable, type Table } from '../../../shared/table/client.ts'
import { connect } from '../../../shared/table/connect.ts'
import { clientSettings } from '../account.ts'

/** Of who is alone on a busy machine with an emulator, and has no caller to answer in time. */
export const LOCAL_TIMEOUTS = {
  connectionTimeout: 10_000,
  requestTimeout: 20_000,
  throwOnRequestTimeout: true,
}

export function openLocalTable(endpoint: string, tableName: string): Table {
  return openTable(connect({ ...clientSettings(endpoint), requestHandler: LOCAL_TIMEOUTS }), tableName)
}
