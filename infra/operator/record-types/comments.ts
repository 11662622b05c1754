// Comments. The record is the state, which changes; the content is written once and depends on it.

import { cleanUpComments } from '../../../shared/comments/commands.ts'
import { adminList, CommentState, listEntriesOf, listsOfComments } from '../../../shared/comments/comment.ts'
import { STATUSES } from '../../../shared/comments/contract.ts'
import { CommentEntry } from '../../../shared/comments/store.ts'
import { commentKey, type Item, type Key, threadKey } from '../../../shared/table/design.ts'
import { lengthsByStatus } from '../count.ts'
import { recordType } from '../record-type.ts'

function stateKeyOf(listed: unknown): Key | undefined {
  const { data } = CommentEntry.safeParse(listed)
  return data && threadKey(data.post_id, data.path)
}

/** The comment to which the item replies. */
function parentOf(item: Item): Key | undefined {
  const { data } = CommentEntry.safeParse(item)
  return data && data.path.length > 1 ? threadKey(data.post_id, data.path.slice(0, -1)) : undefined
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
  dependents: {
    COMMENT: { name: 'text', owner: stateKeyOf, compared: ['id', 'post_id', 'path'] },
    THREAD: {
      name: 'reply',
      owner: parentOf,
      isOptional: () => true,
      remove: async ({ target }, item) => {
        const { post_id, path } = CommentEntry.parse(item)
        const replies = { kind: 'comments', post_id, path: path.slice(0, -1) } as const
        while (await cleanUpComments(target.table, replies));
      },
    },
  },
  counts: { comments: lengthsByStatus(STATUSES, adminList) },
})
