// Reads contact submissions.
import * as z from 'zod/mini'
import { listPage } from '../lists/counted-list.ts'
import type { Table } from '../table/client.ts'
import { submissionKey } from '../table/design.ts'
import { SUBMISSIONS } from './lists.ts'
import { Submission } from './submission.ts'

const SubmissionEntry = z.pick(Submission, { id: true })

/** A page of all submissions, newest first. Leaves out one that is deleted while it is being read. */
export async function listSubmissions(
  table: Table,
  page: number,
  perPage: number,
): Promise<{ items: Submission[]; total: number }> {
  const query = { list: SUBMISSIONS, page, perPage }
  const { items: entries, total } = await listPage(table, query, SubmissionEntry)
  const found = await table.findMany(entries.map(({ id }) => submissionKey(id)))
  const byId = new Map(found.map(item => Submission.parse(item)).map(one => [one.id, one]))
  return { items: entries.flatMap(({ id }) => byId.get(id) ?? []), total }
}
