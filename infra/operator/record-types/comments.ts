// Comments. The record is the state, which changes; the content is written once and depends on it.
import { adminList, CommentState, listEntriesOf, listsOfComments } from '../../../shared/comments/comment.ts'
import { STATUSES } from '../../../shared/comments/contract.ts'
import { CommentEntry } from '../../../shared/comments/store.ts'
import { commentKey, type Key, threadKey } from '../../../shared/table/design.ts'
import { lengthsByStatus } from '../count.ts'
import { recordType } from '../record-type.ts'

function stateKeyOf(listed: unknown): Key | undefined {
  const { data } = CommentEntry.safeParse(listed)
  return data && threadKey(data.post_id, data.path)
}

export const comments = recordType({
  name: 'comment',
  kind: 'THREAD',
  labelOf: ({ sk }) => `comment ${Number(sk.split('/').at(-1))}`,
  schema: CommentState,
  versionAttributes: ['status'],
  listEntriesOf,
  lists: listsOfComments(),
  entryOwner: ({ item }) => stateKeyOf(item),
  dependentsOf: ({ id, post_id, path }) => [
    { item: { ...commentKey(id), id, post_id, path }, isIrreplaceable: true },
  ],
  dependents: { COMMENT: { name: 'text', owner: stateKeyOf, compared: ['id', 'post_id', 'path'] } },
  counts: { comments: lengthsByStatus(STATUSES, adminList) },
})
