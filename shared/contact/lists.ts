// The list of all contact submissions, newest first. No I/O.
import { type ListEntry, newestFirst } from '../lists/counted-list.ts'
import { timeOrder } from '../table/design.ts'
import type { Submission } from './submission.ts'

export const SUBMISSIONS = newestFirst('contact')

/** Every list of submissions. The doctor checks these. */
export function listsOfSubmissions() {
  return [SUBMISSIONS]
}

/** The entry only refers to the message, which may be long. */
export function listEntryOf({ id, created_at }: Submission): ListEntry {
  return { list: SUBMISSIONS, order: timeOrder(created_at, id), item: { id } }
}
