// Creates and deletes contact submissions: record, list entry and event in one transaction.
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { notFound } from '../http/errors.ts'
import { CONFLICT } from '../table/action.ts'
import { exists, isNew } from '../table/conditions.ts'
import { submissionKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'
import type { SubmissionInput } from './contract.ts'
import { eventOf } from './events.ts'
import { listEntryOf } from './lists.ts'
import { Submission } from './submission.ts'

export async function addSubmission(work: UnitOfWork, input: SubmissionInput): Promise<Submission> {
  const { table, nowSeconds } = work
  const submission = { id: await nextId(table, 'submission'), ...input, created_at: nowSeconds }
  const Put = {
    Item: { ...submissionKey(submission.id), ...submission },
    ...isNew,
  }
  await retryOnConflict(async () => {
    const events = [eventOf(submission, await work.siteUrl())]
    await work.commit({ actions: [{ Put }], lists: { after: [listEntryOf(submission)] }, events })
  })
  return submission
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
