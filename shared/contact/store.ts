// How contact submissions are kept: each a record, and a place in the one list of them.
import { listPage } from '../lists/counted-list.ts'
import type { Table } from '../table/client.ts'
import { SUBMISSIONS } from './lists.ts'
import { Submission } from './submission.ts'

/** Newest first, a page at a time. */
export function listSubmissions(table: Table, page: number, perPage: number) {
  return listPage(table, { list: SUBMISSIONS, page, perPage, hidden: Promise.resolve([]) }, Submission)
}
