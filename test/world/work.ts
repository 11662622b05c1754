// A unit of work on a table of a test: what it sends goes nowhere.
import { startWork } from '../../shared/lambda/work.ts'
import type { Table } from '../../shared/table/client.ts'

export const workOn = (table: Table, nowMs: number = Date.now()) =>
  startWork({
    table,
    sender: { send: async messages => messages.map(() => ({ ok: true })) },
    nowMs,
    requestId: 'test',
    siteUrl: async () => 'https://site.example',
    log: String,
  })
