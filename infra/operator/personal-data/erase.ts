// Erases a person. Each step works on what is left, so that a second run finishes one that was killed. The
// account, by which everything else is found, is locked first and removed last.
import { beginErasure, removeAccount } from '../../../shared/accounts/commands/account.ts'
import { DELETED_USER } from '../../../shared/accounts/user.ts'
import { deleteComment, eraseGuest } from '../../../shared/comments/commands.ts'
import { removeSubmission } from '../../../shared/contact/commands.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { removeSubscriber } from '../../../shared/newsletter/commands.ts'
import { exists, ignoreConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { type Key, refusalKey } from '../../../shared/table/design.ts'
import { removeTicket } from '../../../shared/tickets/commands.ts'
import { removeOwned, removeWebhook } from '../../../shared/webhooks/commands/webhooks.ts'
import { listWebhooks } from '../../../shared/webhooks/store/webhooks.ts'
import type { WebhookRecord } from '../../../shared/webhooks/webhook.ts'
import { type Context, unitOfWorkOf } from '../command.ts'
import { collectOf, type Person, type PersonalData } from './collect.ts'

export type EraseOptions = {
  /** Deletes comments and tickets instead of keeping them. */
  content: boolean
  /** Only counts. */
  isDryRun: boolean
}

/** How many records were found, and what was done with them. */
type Step = { what: string; count: number; outcome: string }

export async function erasePerson(context: Context, person: Person, options: EraseOptions): Promise<Step[]> {
  const { userId } = person
  if (userId !== undefined && !options.isDryRun) await beginErasure(unitOfWorkOf(context), userId)
  const data = await collectOf(context, person)
  const webhooks = userId === undefined ? [] : await listWebhooks(context.target.table, userId)
  const tasks = tasksOf(context, person, data, webhooks, options)
  for (const { what, runs } of options.isDryRun ? [] : tasks) {
    for (const [n, run] of runs.entries()) {
      context.progress.show(`${n} of ${runs.length}: ${what}`)
      await run().catch(ignoreMissing)
    }
  }
  return tasks.flatMap(({ what, count, outcome }) => (count > 0 ? [{ what, count, outcome }] : []))
}

/** Each run may happen again, and for a record that is deleted by then. */
type Task = Step & { runs: (() => Promise<unknown>)[] }

function task<Record>(
  what: string,
  outcome: string,
  records: Record[],
  run?: (record: Record) => Promise<unknown>,
): Task {
  return { what, outcome, count: records.length, runs: run ? records.map(record => () => run(record)) : [] }
}

const KEPT = `kept under "${DELETED_USER}"`

function tasksOf(
  context: Context,
  { userId }: Person,
  data: PersonalData,
  webhooks: WebhookRecord[],
  { content }: EraseOptions,
): Task[] {
  const work = unitOfWorkOf(context)
  const { table } = work
  const { comments, tickets, posts, subscribers, submissions, refusals } = data
  const own = new Set(tickets.map(({ id }) => id))
  const replies = data.replies.filter(({ ticket_id }) => !own.has(ticket_id))
  const account = userId === undefined ? [] : [userId]
  const rowsTask = (what: string, keys: Key[]): Task => {
    return { what, outcome: 'deleted', count: keys.length, runs: [() => table.removeMany(keys)] }
  }
  return [
    task('webhook subscriptions', 'deleted', webhooks, ({ owner_id: ownerId, id }) =>
      removeWebhook(work, { ownerId, id }),
    ),
    task('newsletter subscriptions', 'deleted', subscribers, ({ id }) => removeSubscriber(work, id)),
    task('contact messages', 'deleted', submissions, ({ id }) => removeSubmission(work, id)),
    task('refusals of mail', 'deleted', refusals, ({ email }) => table.removeMany([refusalKey(email)])),
    content
      ? task('comments', 'deleted with their replies', comments, ({ id }) => deleteComment(work, id))
      : task('comments', KEPT, comments, async ({ id, guest }) => {
          if (guest) await eraseGuest(table, id)
        }),
    content
      ? task('tickets', 'deleted with their replies', tickets, ({ id }) => removeTicket(work, id))
      : task('tickets', KEPT, tickets),
    task('replies to tickets of others', KEPT, replies),
    task('posts and pages', KEPT, posts),
    // Before the events, which lead to them.
    task('answers of receivers in the log', 'deleted', data.answers, answer => eraseAnswer(table, answer)),
    rowsTask(
      'events in the log',
      data.events.map(({ key }) => key),
    ),
    rowsTask('other rows', data.rows),
    task('account', 'deleted with its tokens, password and addresses', account, async id => {
      await removeOwned(table, id)
      await removeAccount(work, id)
    }),
  ]
}

/** The attempt stays in the log, and a body without the person, as it may be sent again. */
async function eraseAnswer(
  table: Table,
  { key: Key, isInBody }: PersonalData['answers'][number],
): Promise<void> {
  const Update = {
    Key,
    UpdateExpression: isInBody ? 'REMOVE #response, #body' : 'REMOVE #response',
    ...exists,
    ExpressionAttributeNames: { '#response': 'response', ...(isInBody && { '#body': 'body' }) },
  }
  await table.write({ Update }).catch(ignoreConditionFailed)
}

/** Another command, an admin or the service has deleted the record since. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error
}
