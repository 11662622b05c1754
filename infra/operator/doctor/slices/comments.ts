// Comments, as the doctor knows them.
import { Standing } from '../../../../shared/comments/comment.ts'
import { STATUSES } from '../../../../shared/comments/contract.ts'
import { adminList, ownList, placesOf, publicList } from '../../../../shared/comments/places.ts'
import { Entry } from '../../../../shared/comments/store.ts'
import { commentKey, movingKey, threadKey } from '../../../../shared/table/design.ts'
import type { Key } from '../../../../shared/table/key.ts'
import { slice } from '../slice.ts'

const standingOf = (shown: unknown): Key | undefined => {
  const { data } = Entry.safeParse(shown)
  return data && threadKey(data.post_id, data.path)
}

/** What changes of a comment is its standing. The public list of a post that is gone is cleared as a whole. */
export const comments = slice({
  name: 'comment',
  kind: 'THREAD',
  labelOf: ({ sk }) => `comment ${Number(sk.split('/').at(-1))}`,
  schema: Standing,
  stamps: ['status', 'is_listed', 'has_replies'],
  placesOf,
  lists: [...[undefined, ...STATUSES].map(adminList), publicList, ownList],
  entryOwner: ({ item }) => standingOf(item),
  hangingOf: ({ id, post_id, path }) => [
    { item: { ...commentKey(id), id, post_id, path }, check: 'members', isLost: true },
  ],
  hangs: { COMMENT: { name: 'text', owner: standingOf } },
  markOf: list => {
    const postId = Number(/\d+$/.exec(list)?.[0])
    return publicList(postId).name === list ? movingKey(postId) : undefined
  },
})
