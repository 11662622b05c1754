// A unit of work on a test's table. Its messages are dropped.
import { startUnitOfWork } from '../../shared/events/unit-of-work.ts'
import type { Table } from '../../shared/table/client.ts'

export function workOn(table: Table, nowMs: number = Date.now()) {
  return startUnitOfWork({
    table,
    sender: { send: async messages => messages.map(() => ({ ok: true })) },
    nowMs,
    requestId: 'test',
    siteUrl: async () => 'https://site.example',
    log: String,
  })
}
