// One pass over all items, and a second one if records are suspected. It keeps keys and sums but no contents,
// so that a large site fits into memory.
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Progress } from '../progress.ts'
import { type Balances, openBalances } from './balances.ts'
import { type Blobs, collectBlobs, noBlobs } from './blobs.ts'
import type { Suspect } from './check-record.ts'
import { unfinishedErasures } from './erased.ts'
import { keyText } from './expected-items.ts'
import { type IndexSums, noSums, sumIndex } from './index-sums.ts'
import { inspectItems } from './inspect.ts'
import { PARTITIONS } from './partitions.ts'
import type { Problem } from './problem.ts'
import { type Authors, noAuthors, sumAuthors } from './public-posts.ts'
import { openRemovedLists } from './removed-lists.ts'
import { tallyItems } from './tally.ts'

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
  authors: Authors
  problems: Problem[]
}

export async function surveyTable(
  table: Table,
  readAll: () => AsyncIterable<Item[]>,
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
    authors: noAuthors(),
    problems: [],
  }
  const balances = openBalances()
  const findRemovedLists = openRemovedLists(table)
  for await (const items of readAll()) {
    const tally = await tallyItems(table, balances, findRemovedLists, items)
    survey.items += items.length
    survey.records += tally.records
    for (const problem of [...tally.problems, ...unfinishedErasures(items)]) survey.problems.push(problem)
    for (const list of tally.lists) survey.lists.add(list)
    for (const { pk } of items) {
      if (PARTITIONS.has(kindOf(pk))) survey.partitions.set(pk, { kind: kindOf(pk), id: Number(nameIn(pk)) })
    }
    collectBlobs(survey.blobs, items)
    sumAuthors(survey.authors, items)
    await sumIndex(table, survey.index, items)
    progress.show(`Read ${survey.items} items`)
  }
  if (balances.countOff() > 0) await findSuspects(table, survey, balances, readAll, progress)
  return survey
}

async function findSuspects(
  table: Table,
  { suspects, items: total }: Survey,
  { isOff, countOff }: Balances,
  readAll: () => AsyncIterable<Item[]>,
  progress: Progress,
): Promise<void> {
  let read = 0
  for await (const items of readAll()) {
    for (const suspect of await inspectItems(table, items, isOff)) addSuspect(suspects, suspect)
    read += items.length
    progress.show(`Read ${read} of ${total} items again, because ${countOff()} records may have a problem`)
  }
}

function addSuspect(suspects: Map<string, Suspect>, suspect: Suspect): void {
  const text = keyText(suspect.key)
  const earlier = suspects.get(text)
  const unexpected = new Map([...(earlier?.unexpected ?? []), ...suspect.unexpected])
  suspects.set(text, { ...suspect, unexpected })
}
