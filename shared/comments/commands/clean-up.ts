// Corrects the lists of a post's comments after a change that affected many of them, batch by batch.
import type { TidyMessage } from '../../events/message.ts'
import { clearList } from '../../lists/clear-list.ts'
import { writeWithLists } from '../../lists/counted-list.ts'
import type { Table } from '../../table/client.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { type CommentState, isOrphan, isVisible, type StatesById, statesById } from '../comment.ts'
import { listEntriesOf, listEntriesOutsidePost, publicList } from '../lists.ts'
import { findPath, listStatesFrom, STATES_AT_ONCE } from '../store/comments.ts'
import { findRecount, type ThreadRecount } from '../store/recounts.ts'
import { endRecount, recountStep } from './recount.ts'
import { changeState, ifAncestorsUnchanged, removeComment } from './write.ts'

type Message = Extract<TidyMessage, { kind: 'comments' }>
/** `after` is null for a comment to delete. */
type Correction = { before: CommentState; after: CommentState | null }

const MAX_ACTIONS = 100
/** Deletion takes 2 records, 4 entries, 5 counts and 2 checks of ancestors; a change of one list takes 5. */
const ACTIONS = { deleted: 13, relisted: 5, shared: 6 }

/** Writes one batch in one transaction and returns the message of the next batch, if any. Idempotent. */
export function cleanUpComments(table: Table, message: Message): Promise<Message | undefined> {
  return retryOnConflict(async () => {
    const { post_id, stamp, from } = message
    const recount = await findRecount(table, post_id)
    if (recount?.stamp !== stamp) return undefined
    const read = await listStatesFrom(table, post_id, from)
    const states = await withAncestors(table, read)
    const corrections = read.flatMap(state => correctionsOf(state, recount, states))
    const batch = firstBatch(corrections)
    if (batch.length > 0) await writeCorrections(table, recount, batch, states)
    const isMore = corrections.length > batch.length
    if (isMore || read.length === STATES_AT_ONCE) {
      return { ...message, from: (isMore ? batch.at(-1)?.before : read.at(-1))?.path ?? from }
    }
    if (recount.gone === 'all' && (await clearList(table, publicList(post_id).name))) return message
    await endRecount(table, recount)
    return undefined
  })
}

/** Adds the ancestors of the first state. Those of the others are among them or among the states. */
async function withAncestors(table: Table, states: CommentState[]): Promise<StatesById> {
  const [first] = states
  const ancestors = first ? await findPath(table, first) : []
  return new Map([...ancestors, ...statesById(states)])
}

function correctionsOf(before: CommentState, { gone }: ThreadRecount, states: StatesById): Correction[] {
  if (gone === 'all' || isOrphan(before, states)) return [{ before, after: null }]
  const is_listed = isVisible(before, states)
  return is_listed === before.is_listed ? [] : [{ before, after: { ...before, is_listed } }]
}

/** As many of the first corrections as fit into one transaction. */
function firstBatch(corrections: Correction[]): Correction[] {
  let actions = ACTIONS.shared
  const end = corrections.findIndex(({ after }) => {
    actions += after ? ACTIONS.relisted : ACTIONS.deleted
    return actions > MAX_ACTIONS
  })
  return end < 0 ? corrections : corrections.slice(0, end)
}

async function writeCorrections(
  table: Table,
  recount: ThreadRecount,
  batch: Correction[],
  states: StatesById,
): Promise<void> {
  const isPostDeleted = recount.gone === 'all'
  const entriesOf = isPostDeleted ? listEntriesOutsidePost : listEntriesOf
  const before = batch.map(correction => correction.before)
  const after = batch.flatMap(correction => correction.after ?? [])
  const lists = { before: before.flatMap(entriesOf), after: after.flatMap(entriesOf) }
  const writes = batch.flatMap(({ before, after }) =>
    after ? [changeState(before, after)] : removeComment(before),
  )
  const checks = isPostDeleted ? [] : ifAncestorsUnchanged(before, states)
  await writeWithLists(table, lists, listActions =>
    table.transact([recountStep(recount), ...writes, ...checks, ...listActions]),
  )
}
