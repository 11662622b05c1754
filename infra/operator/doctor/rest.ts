// What the service itself is setting right, in steps and in the background, is not the doctor's matter meanwhile.
import type { Table } from '../../../shared/table/client.ts'
import type { Key } from '../../../shared/table/key.ts'
import type { Finding } from './finding.ts'

/** Nothing while there is one of these marks, before or after the look. */
export async function unlessResting(
  table: Table,
  marks: Key[],
  look: () => Promise<Finding[]>,
): Promise<Finding[]> {
  if (await isResting(table, marks)) return []
  const findings = await look()
  return findings.length > 0 && (await isResting(table, marks)) ? [] : findings
}

export async function isResting(table: Table, marks: Key[]): Promise<boolean> {
  return marks.length > 0 && (await table.findMany(marks)).length > 0
}
