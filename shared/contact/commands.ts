// Lists, creates and deletes contact submissions: record, list entry and event in one transaction.
import * as z from 'zod/mini'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { notFound } from '../http/errors.ts'
import { listPage } from '../lists/counted-list.ts'
import { CONFLICT, exists, isNew } from '../table/action.ts'
import { findById, type Table } from '../table/client.ts'
import { submissionKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import type { SubmissionInput } from './contract.ts'
import { eventOf, listEntryOf, SUBMISSIONS, Submission, submissionView } from './submission.ts'

export async function addSubmission(work: UnitOfWork, input: SubmissionInput): Promise<Submission> {
  const { table, nowSeconds } = work
  const submission = { id: await nextId(table, 'submission'), ...input, created_at: nowSeconds }
  await retryOnConflict(() => commitSubmission(work, submission))
  return submission
}

export async function commitSubmission(work: UnitOfWork, submission: Submission): Promise<void> {
  const Put = { Item: { ...submissionKey(submission.id), ...submission }, ...isNew }
  const events = [eventOf(submission, await work.siteUrl())]
  await work.commit({ actions: [{ Put }], lists: { after: [listEntryOf(submission)] }, events })
}

/** Throws NOT_FOUND. */
export function removeSubmission(work: UnitOfWork, id: number): Promise<void> {
  return retryOnConflict(async () => {
    const submission = await work.table.find(submissionKey(id), Submission)
    if (!submission) throw notFound('Message')
    const Delete = { Key: submissionKey(id), ...exists }
    const actions = [{ onConditionFailed: CONFLICT, Delete }]
    await work.commit({ actions, lists: { before: [listEntryOf(submission)] } })
  })
}

const SubmissionEntry = z.pick(Submission, { id: true })

/** A page of all submissions, newest first. Leaves out one that is deleted while it is being read. */
export async function listSubmissions(table: Table, { page, per_page }: { page: number; per_page: number }) {
  const query = { list: SUBMISSIONS, page, perPage: per_page }
  const { items: entries, total } = await listPage(table, query, SubmissionEntry)
  const keys = entries.map(({ id }) => submissionKey(id))
  const byId = await findById(table, keys, Submission)
  const found = entries.flatMap(({ id }) => byId.get(id) ?? [])
  return { items: found.map(submissionView), total }
}
