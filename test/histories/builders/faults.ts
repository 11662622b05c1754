// Faults of a table that make a copy differ, each of which the histories of builders must find.
import { PLACES_PER_MS } from '../../../shared/feed/note.ts'
import type { Action } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { CHANGES_PARTITION, SCHEDULED_PARTITION, sortable, timeOrder } from '../../../shared/table/design.ts'

function isRow(action: Action): boolean {
  return 'Put' in action && action.Put.Item.pk === CHANGES_PARTITION
}

/** Changes whose rows are not written. */
export function withoutRows(table: Table): Table {
  return { ...table, transact: actions => table.transact(actions.filter(action => !isRow(action))) }
}

/** Rows that are visible before the rest of their transaction; readers come in between. */
export function withRowsFirst(read: () => Promise<unknown>): (table: Table) => Table {
  return table => ({
    ...table,
    transact: async actions => {
      const rows = actions.filter(isRow)
      if (rows.length > 0) {
        await table.transact(rows)
        await read()
      }
      await table.transact(actions.filter(action => !isRow(action)))
    },
  })
}

/** Cursors that skip a second of the feed, or of the schedule. */
export function withSkippedSecond(partition: 'feed' | 'schedule'): (table: Table) => Table {
  return table => ({
    ...table,
    query: (span, schema) => {
      if (span.from === undefined) return table.query(span, schema)
      if (partition === 'feed' && span.pk === CHANGES_PARTITION) {
        return table.query({ ...span, from: sortable(Number(span.from) + 1_000 * PLACES_PER_MS) }, schema)
      }
      const isPoll = span.pk === SCHEDULED_PARTITION && span.from.endsWith('\0')
      if (partition === 'feed' || !isPoll) return table.query(span, schema)
      // The key begins with the second.
      const from = span.to ?? timeOrder(0, 0)
      return table.query({ ...span, from }, schema)
    },
  })
}
