// One line of the doctor's report: something that is not as it must be.
import type { Key } from '../../../shared/table/key.ts'

export type Problem = {
  /** The list or the record that has the problem: `post 7`. */
  subject: string
  /** The rest of the sentence. */
  message: string
  key?: Key
  /** Numbers that must be equal and are not. */
  expected?: unknown
  found?: unknown
  /** Members of an item that must be equal and are not. */
  different?: { [member: string]: { expected: unknown; found: unknown } }
  isRepaired: boolean
  /** Not an error: the service has this work in a queue and will do it. */
  isQueued?: boolean
}

export function lineOf({ subject, message, isRepaired }: Problem): string {
  return `${subject}: ${message}${isRepaired ? ' Repaired.' : ''}`
}
