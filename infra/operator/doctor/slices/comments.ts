// Comments, as the doctor knows them.
import { CommentState } from '../../../../shared/comments/comment.ts'
import { STATUSES } from '../../../../shared/comments/contract.ts'
import { adminList, listEntriesOf, ownList, publicList } from '../../../../shared/comments/lists.ts'
import { Entry } from '../../../../shared/comments/store/comments.ts'
import { commentKey, recountKey, threadKey } from '../../../../shared/table/design.ts'
import type { Key } from '../../../../shared/table/key.ts'
import { slice } from '../slice.ts'

function standingOf(shown: unknown): Key | undefined {
  const { data } = Entry.safeParse(shown)
  return data && threadKey(data.post_id, data.path)
}

/** What changes of a comment is its standing. The public list of a post that is gone is cleared as a whole. */
export const comments = slice({
  name: 'comment',
  kind: 'THREAD',
  labelOf: ({ sk }) => `comment ${Number(sk.split('/').at(-1))}`,
  schema: CommentState,
  stamps: ['status', 'is_listed', 'has_replies'],
  listEntriesOf,
  lists: [...[undefined, ...STATUSES].map(adminList), publicList, ownList],
  entryOwner: ({ item }) => standingOf(item),
  hangingOf: ({ id, post_id, path }) => [
    { item: { ...commentKey(id), id, post_id, path }, check: 'members', isLost: true },
  ],
  hangs: { COMMENT: { name: 'text', owner: standingOf } },
  markOf: list => {
    const postId = Number(/\d+$/.exec(list)?.[0])
    return publicList(postId).name === list ? recountKey(postId) : undefined
  },
})
