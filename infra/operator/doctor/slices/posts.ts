// Posts and categories, as the doctor knows them.
import { CategoryRecord } from '../../../../shared/categories/category.ts'
import { lockSlug } from '../../../../shared/categories/commands.ts'
import { slugActions } from '../../../../shared/posts/commands/commit.ts'
import { adminList, categoryList, listEntriesOf, PAGES, POSTS } from '../../../../shared/posts/lists.ts'
import { Post } from '../../../../shared/posts/post.ts'
import { scheduledActions } from '../../../../shared/posts/store/scheduled.ts'
import { bodyKey, categoryKey, postKey } from '../../../../shared/table/design.ts'
import { byMember, byPartition, byShownId, putBy, slice } from '../slice.ts'

export const posts = slice({
  name: 'post',
  kind: 'POST',
  sk: 'POST',
  schema: Post,
  stamps: ['revision'],
  listEntriesOf,
  lists: [
    ...[POSTS, PAGES, categoryList],
    ...([undefined, 'post', 'page'] as const).flatMap(type => [
      adminList(false, type),
      adminList(true, type),
    ]),
  ],
  entryOwner: byShownId(postKey),
  hangingOf: post => [
    ...putBy([...slugActions(null, post), ...scheduledActions(null, post)]),
    { item: { ...bodyKey(post.id), version: post.body_version }, check: 'members', isLost: true },
  ],
  hangs: {
    POST: { name: 'body', owner: byPartition(postKey) },
    SLUG: { name: 'slug lock', owner: byMember('id', postKey) },
    SCHEDULED: { name: 'row among those that wait for their time', owner: byMember('id', postKey) },
  },
})

export const categories = slice({
  name: 'category',
  kind: 'CATEGORIES',
  labelOf: ({ sk }) => `category ${Number(sk)}`,
  schema: CategoryRecord,
  stamps: ['version'],
  rootOf: ({ id }) => categoryList(id),
  hangingOf: ({ id, slug }) => putBy([lockSlug(slug, id)]),
  hangs: { CATEGORYSLUG: { name: 'slug lock', owner: byMember('id', categoryKey) } },
})
