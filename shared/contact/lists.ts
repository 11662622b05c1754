// The list of all contact submissions, newest first. No I/O.
import { type ListEntry, newestFirst } from '../lists/counted-list.ts'
import { timeOrder } from '../table/design.ts'
import type { Submission } from './submission.ts'

export const SUBMISSIONS = newestFirst('contact')

/** Every list of submissions. The doctor checks these. */
export function listsOfSubmissions() {
  return [SUBMISSIONS]
}

export function listEntryOf(submission: Submission): ListEntry {
  return {
    list: SUBMISSIONS,
    order: timeOrder(submission.created_at, submission.id),
    item: submission,
  }
}
