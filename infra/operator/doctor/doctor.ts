// The doctor: reads everything once, then looks closely at each list and at each record that seemed wrong.
import type { Table } from '../../../shared/table/client.ts'
import type { Context } from '../command.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { examineNamed, examineParts } from './blobs.ts'
import { examineCategoryTotals } from './category-totals.ts'
import { examine, type Suspect } from './examine.ts'
import type { Finding } from './finding.ts'
import { examineList } from './list.ts'
import { PARTITIONS } from './partitions.ts'
import { passOver } from './pass.ts'
import { textOf } from './record.ts'
import { unlessResting } from './rest.ts'
import { scan } from './scan.ts'
import { examineIndex } from './search-index.ts'
import { examineDeliveries, examineOutbox } from './waiting.ts'

export type Diagnosis = { items: number; records: number; lists: number; findings: Finding[] }

/** Something to be looked at, and how. */
type Examination = { where: string; run: () => Promise<Finding[]> }

/** Lists come before records: an entry is mended as the service moves it, which needs nodes that are right. */
export async function diagnose(context: Context, isMending: boolean): Promise<Diagnosis> {
  const { target, nowMs, progress } = context
  const { table, documents, tableName } = target
  const readAll = () => scan(documents, tableName)
  const seen = await passOver(table, readAll(), progress)
  const examinations: Examination[] = [
    ...[...seen.lists].map(name => ({
      where: `list ${name}`,
      run: () => examineNamedList(table, name, isMending),
    })),
    ...[...seen.suspects.values()].sort(lackingFirst).map(suspect => ({
      where: suspect.slice.labelOf(suspect.key),
      run: () => examine(table, suspect, isMending),
    })),
    ...[...seen.partitions.values()].flatMap(({ kind, id }) => {
      const partition = PARTITIONS.get(kind)
      return partition
        ? [{ where: `${partition.of} ${id}`, run: () => partition.examine(context, id, isMending) }]
        : []
    }),
    { where: 'categories', run: () => examineCategoryTotals(table, isMending) },
    {
      where: 'large texts',
      run: async () => [
        ...(await examineParts(table, seen.blobs, readAll, isMending)),
        ...(await examineNamed(table, seen.blobs)),
      ],
    },
    { where: 'search index', run: () => examineIndex(context, seen.index, readAll, isMending) },
    { where: 'outbox', run: () => examineOutbox(target, nowMs, isMending) },
    { where: 'deliveries', run: () => examineDeliveries(table, nowMs, isMending) },
  ]

  const findings = [...seen.findings]
  const told = new Set<string>()
  for (const [n, examination] of examinations.entries()) {
    progress.say(`${n} of ${examinations.length} looked at, now: ${examination.where}`)
    for (const finding of await outcomeOf(examination)) {
      const about = finding.key && textOf(finding.key)
      if (about && told.has(about)) continue
      if (about) told.add(about)
      findings.push(finding)
    }
  }
  return { items: seen.items, records: seen.records, lists: seen.lists.size, findings }
}

/** An item on which two records have a claim is told of, and mended, for the one that lacks it. */
function lackingFirst(a: Suspect, b: Suspect): number {
  return a.seen.size - b.seen.size
}

/** One that fails does not keep the others from being looked at. */
async function outcomeOf({ where, run }: Examination): Promise<Finding[]> {
  try {
    return await run()
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    return [
      { where, says: `could not be looked at to the end. Run the doctor again. (${said})`, isMended: false },
    ]
  }
}

async function examineNamedList(table: Table, name: string, isMending: boolean): Promise<Finding[]> {
  const slice = RECORD_TYPES.find(({ listOf }) => listOf(name))
  const list = slice?.listOf(name)
  if (!list) {
    const says = 'is none that this version knows, so it was not looked at.'
    return [{ where: `list ${name}`, says, isMended: false }]
  }
  const mark = slice?.busyMarkerOf(name)
  return await unlessResting(table, mark ? [mark] : [], () => examineList(table, list, isMending))
}
