// Setting the lists of a post's comments right after a change that moved many of them, a step at a time.
import type { TidyMessage } from '../../events/message.ts'
import { clearList } from '../../lists/clear-list.ts'
import { writeWithLists } from '../../lists/counted-list.ts'
import type { Table } from '../../table/client.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { type CommentState, isOrphan, isShown, type StatesById, statesById } from '../comment.ts'
import { listEntriesOf, listEntriesOutsidePost, publicList } from '../lists.ts'
import { findPath, listStatesFrom, STATES_AT_ONCE } from '../store/comments.ts'
import { findRecount, type ThreadRecount } from '../store/recounts.ts'
import { endRecount, recountStep } from './recount.ts'
import { changeState, removeComment, requireAncestors } from './write.ts'

type Message = Extract<TidyMessage, { kind: 'comments' }>
type Correction = { before: CommentState; after: CommentState | null }
const MOST_ACTIONS = 100
/** Of one that goes: 2 records, 4 entries, 5 counts, 2 above it; of one that is listed or not any more; of all. */
const ACTIONS = { goes: 13, moves: 5, shared: 6 }

/**
 * Takes one step in one transaction; gives back the message for the next, if there is one. Each step may run
 * twice: it compares what is with what should be.
 */
export function cleanUpComments(table: Table, message: Message): Promise<Message | undefined> {
  return retryOnConflict(async () => {
    const { post_id, stamp, from } = message
    const moving = await findRecount(table, post_id)
    if (moving?.stamp !== stamp) return undefined
    const found = await listStatesFrom(table, post_id, from)
    const known = await withAncestors(table, found)
    const wrong = found.flatMap(one => correctionsOf(one, moving, known))
    const current = firstBatch(wrong)
    if (current.length > 0) await writeCorrections(table, moving, current, known)
    const isMore = wrong.length > current.length
    if (isMore || found.length === STATES_AT_ONCE) {
      return { ...message, from: (isMore ? current.at(-1)?.before : found.at(-1))?.path ?? from }
    }
    if (moving.gone === 'all' && (await clearList(table, publicList(post_id).name))) return message
    await endRecount(table, moving)
    return undefined
  })
}

/** With what stands above the first one: what stands above the others is among them, or above the first, too. */
async function withAncestors(table: Table, found: CommentState[]): Promise<StatesById> {
  const [first] = found
  const above = first ? await findPath(table, first) : []
  return new Map([...above, ...statesById(found)])
}

function correctionsOf(before: CommentState, { gone }: ThreadRecount, known: StatesById): Correction[] {
  if (gone === 'all' || isOrphan(before, known)) return [{ before, after: null }]
  const is_listed = isShown(before, known)
  return is_listed === before.is_listed ? [] : [{ before, after: { ...before, is_listed } }]
}

/** The first of them, as many as fit into one transaction. */
function firstBatch(wrong: Correction[]): Correction[] {
  let actions = ACTIONS.shared
  const end = wrong.findIndex(({ after }) => {
    actions += after ? ACTIONS.moves : ACTIONS.goes
    return actions > MOST_ACTIONS
  })
  return end < 0 ? wrong : wrong.slice(0, end)
}

async function writeCorrections(
  table: Table,
  moving: ThreadRecount,
  wrong: Correction[],
  known: StatesById,
): Promise<void> {
  const isPostGone = moving.gone === 'all'
  const places = isPostGone ? listEntriesOutsidePost : listEntriesOf
  const lists = {
    before: wrong.flatMap(({ before }) => places(before)),
    after: wrong.flatMap(({ after }) => (after ? places(after) : [])),
  }
  const writes = wrong.flatMap(({ before, after }) =>
    after ? [changeState(before, after)] : removeComment(before),
  )
  const above = isPostGone
    ? []
    : requireAncestors(
        wrong.map(({ before }) => before),
        known,
      )
  await writeWithLists(table, lists, listActions =>
    table.transact([recountStep(moving), ...writes, ...above, ...listActions]),
  )
}
