// How contact submissions are kept: each a record, and a place in the one list of them.
import { notFound } from '../http/errors.ts'
import type { Work } from '../lambda/work.ts'
import { STALE } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { listPage, planMoves, settle } from '../table/counted-list.ts'
import { deciding } from '../table/deciding.ts'
import { submissionKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import type { SubmissionInput } from './contract.ts'
import { placeOf, SUBMISSIONS, Submission, submitted } from './submission.ts'

export const addSubmission = async (work: Work, input: SubmissionInput): Promise<Submission> => {
  const { table, nowSeconds } = work
  const submission = { id: await nextId(table, 'submission'), ...input, created_at: nowSeconds }
  const Put = {
    Item: { ...submissionKey(submission.id), ...submission },
    ConditionExpression: 'attribute_not_exists(pk)',
  }
  await deciding(async () => {
    const plan = await planMoves(table, [], [placeOf(submission)])
    const happenings = [submitted(submission, await work.siteUrl())]
    await work.commit({ actions: [{ Put }, ...plan.actions], happenings })
    await settle(table, plan.touched)
  })
  return submission
}

/** Newest first, a page at a time. */
export const listSubmissions = (table: Table, page: number, perPage: number) =>
  listPage(table, { list: SUBMISSIONS, page, perPage, hidden: Promise.resolve([]) }, Submission)

/** Throws NOT_FOUND. */
export const removeSubmission = (work: Work, id: number): Promise<void> =>
  deciding(async () => {
    const submission = await work.table.find(submissionKey(id), Submission)
    if (!submission) throw notFound('Message')
    const plan = await planMoves(work.table, [placeOf(submission)], [])
    const Delete = { Key: submissionKey(id), ConditionExpression: 'attribute_exists(pk)' }
    await work.commit({ actions: [{ refused: STALE, Delete }, ...plan.actions] })
    await settle(work.table, plan.touched)
  })
