// What the doctor reports: one thing that is not as it must be, for people and for programs.
import type { Key } from '../../../shared/table/key.ts'

export type Finding = {
  /** The list or the record that it is about. */
  where: string
  /** The rest of the sentence. */
  says: string
  key?: Key
  /** Of numbers. */
  expected?: unknown
  found?: unknown
  /** Of items, by member. */
  different?: { [member: string]: { expected: unknown; found: unknown } }
  isMended: boolean
  /** Nothing is wrong: the service has it in a queue and does it by itself. */
  isQueued?: boolean
}

export function lineOf({ where, says, isMended }: Finding): string {
  return `${where}: ${says}${isMended ? ' Mended.' : ''}`
}
