// A unit of work on a test's table, with `nowMs` as its time. It sends no messages, and throws what it logs.
import { EVERY_EVENT } from '../../shared/events/message.ts'
import type { Sender } from '../../shared/events/sqs.ts'
import { startUnitOfWork } from '../../shared/events/unit-of-work.ts'
import { wantedCopies } from '../../shared/events/wanted.ts'
import type { Table } from '../../shared/table/client.ts'

/** Its messages go nowhere. */
export const droppingSender: Sender = { send: async messages => messages.map(() => ({ ok: true })) }

export function unitOfWorkOn(table: Table, nowMs: number = Date.now(), sender = droppingSender) {
  return startUnitOfWork({
    table,
    sender,
    nowMs,
    requestId: 'test',
    siteUrl: async () => 'https://site.example',
    log: (_level, message, { problem }) => {
      throw new Error(message, { cause: problem })
    },
  })
}

/** As if a subscription to every event existed, for tests that look at the messages of a change. */
export function wantEveryEvent(table: Table): Promise<void> {
  return table.putMany(wantedCopies({ [EVERY_EVENT]: 1 }))
}
