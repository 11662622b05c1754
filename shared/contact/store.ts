// Reads contact submissions.
import { listPage } from '../lists/counted-list.ts'
import type { Table } from '../table/client.ts'
import { SUBMISSIONS } from './lists.ts'
import { Submission } from './submission.ts'

/** A page of all submissions, newest first. */
export function listSubmissions(table: Table, page: number, perPage: number) {
  return listPage(table, { list: SUBMISSIONS, page, perPage, hidden: Promise.resolve([]) }, Submission)
}
