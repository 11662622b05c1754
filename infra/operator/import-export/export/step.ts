// An export is a sequence of steps, each of which reads one kind of records by their ids.

import type { Table } from '../../../../shared/table/client.ts'
import type { Counter } from '../../../../shared/table/kinds.ts'
import type { ExportLine } from '../format.ts'

export type ExportOptions = { withPasswords: boolean }

export type Step = {
  /** As progress shows it. */
  name: string
  /** The counter of the ids; undefined if all records are read at once. */
  counter?: Counter
  /** How many ids are read at once. */
  atOnce?: number
  /** The records with these ids, in order. Missing ones are left out. */
  read: (table: Table, ids: number[], options: ExportOptions) => Promise<ExportLine[]>
}
