// A unit of work on a test's table, with `nowMs` as its time. It sends no messages, and throws what it logs.
import { startUnitOfWork } from '../../shared/events/unit-of-work.ts'
import type { Table } from '../../shared/table/client.ts'
import { droppingSender } from './receive.ts'

export function unitOfWorkOn(table: Table, nowMs: number = Date.now()) {
  return startUnitOfWork({
    table,
    sender: droppingSender(table),
    nowMs,
    requestId: 'test',
    siteUrl: async () => 'https://site.example',
    log: (_level, message, { problem }) => {
      throw new Error(message, { cause: problem })
    },
  })
}
