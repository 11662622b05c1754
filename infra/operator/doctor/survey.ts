// One pass over all items. It keeps keys and suspects but no contents, so that a large site fits into memory.
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Progress } from '../progress.ts'
import { type Blobs, collectBlobs, noBlobs } from './blobs.ts'
import type { Suspect } from './check-record.ts'
import { keyText } from './expected-items.ts'
import { type IndexSums, noSums, sumIndex } from './index-sums.ts'
import { inspectItems } from './inspect.ts'
import { PARTITIONS } from './partitions.ts'
import type { Problem } from './problem.ts'

export type Partition = { kind: string; id: number }

export type Survey = {
  items: number
  records: number
  /** By name. */
  lists: Set<string>
  /** Partitions that are checked as a whole, by partition key. */
  partitions: Map<string, Partition>
  /** By the text of the record's key. */
  suspects: Map<string, Suspect>
  blobs: Blobs
  index: IndexSums
  problems: Problem[]
}

export async function surveyTable(
  table: Table,
  all: AsyncIterable<Item[]>,
  progress: Progress,
): Promise<Survey> {
  const survey: Survey = {
    items: 0,
    records: 0,
    lists: new Set(),
    partitions: new Map(),
    suspects: new Map(),
    blobs: noBlobs(),
    index: noSums(),
    problems: [],
  }
  for await (const items of all) {
    const inspection = await inspectItems(table, items)
    survey.items += items.length
    survey.records += inspection.records
    for (const problem of inspection.problems) survey.problems.push(problem)
    for (const list of inspection.lists) survey.lists.add(list)
    for (const suspect of inspection.suspects) addSuspect(survey.suspects, suspect)
    for (const { pk } of items) {
      if (PARTITIONS.has(kindOf(pk))) survey.partitions.set(pk, { kind: kindOf(pk), id: Number(nameIn(pk)) })
    }
    collectBlobs(survey.blobs, items)
    await sumIndex(table, survey.index, items)
    progress.show(`Read ${survey.items} items, ${survey.suspects.size} records to check`)
  }
  return survey
}

function addSuspect(suspects: Map<string, Suspect>, suspect: Suspect): void {
  const text = keyText(suspect.key)
  const earlier = suspects.get(text)
  const unexpected = new Map([...(earlier?.unexpected ?? []), ...suspect.unexpected])
  suspects.set(text, { ...suspect, unexpected })
}
