// A kind of records: how an export reads them, and how an import writes them.
import type * as z from 'zod/mini'
import type { UnitOfWork } from '../../../../shared/events/unit-of-work.ts'
import { findById, type Table } from '../../../../shared/table/client.ts'
import type { Key } from '../../../../shared/table/design.ts'
import type { Counter } from '../../../../shared/table/kinds.ts'
import type { ExportRecord, RecordType } from '../format.ts'
import type { ImportJob } from '../import/job.ts'
import { type Entry, Skip } from '../sources/source.ts'

/** `create` and the like are methods, so that the kind of one type is one of any. */
export type Kind<Record extends ExportRecord = ExportRecord> = {
  type: Record['type']
  /** Gives the ids; undefined for records without ids, which an export reads at once. */
  counter?: Counter
  /** Gives the ids of what contains the records: an export reads those of tickets. */
  within?: Counter
  /** The records with these ids, or in what has these ids, in order. Missing ones are left out. */
  read: (table: Table, ids: number[], withPasswords: boolean) => Promise<object[]>
  /** For each record, one that is here already and takes its place. */
  find?(job: ImportJob, records: Record[]): Promise<(Match | undefined)[]>
  /**
   * Commits the record by `work`, and adds to the notes what of it did not fit. Runs again after a conflict.
   * Throws Skip, and VALIDATION_ERROR.
   */
  create(job: ImportJob, entry: Entry<Record>, id: number, work: UnitOfWork): Promise<void>
  /** Throws NOT_FOUND if it is not here any more. Undefined: never updated. */
  update?(job: ImportJob, entry: Entry<Record>, id: number): Promise<void>
}

type Match = { id: number; reason: string }

export function match(id: number | undefined, reason: string): Match | undefined {
  return id === undefined ? undefined : { id, reason }
}

/** The id here of a record of the source. Throws Skip. */
export function idOf({ ids }: ImportJob, type: RecordType, id: number, missing: string): number {
  const here = ids.get(`${type}:${id}`)
  if (here === undefined) throw new Skip(missing)
  return here
}

/** The records with these keys, in the order of their ids. */
export async function findRecords<T extends { id: number }>(
  table: Table,
  keys: Key[],
  schema: z.ZodMiniType<T>,
): Promise<T[]> {
  return [...(await findById(table, keys, schema)).values()].sort((a, b) => a.id - b.id)
}
