// Posts, pages and categories.
import { CategoryRecord } from '../../../shared/categories/category.ts'
import { lockSlug } from '../../../shared/categories/commands/lock-slug.ts'
import { scheduledActions, slugActions } from '../../../shared/posts/commands/commit.ts'
import { categoryList, listEntriesOf, listsOfPosts } from '../../../shared/posts/lists.ts'
import { Post } from '../../../shared/posts/post.ts'
import { bodyKey, categoryKey, postKey } from '../../../shared/table/design.ts'
import { byListedId, byMember, byPartition, putBy, recordType } from '../record-type.ts'

export const posts = recordType({
  name: 'post',
  kind: 'POST',
  sk: 'POST',
  schema: Post,
  versionAttributes: ['revision'],
  listEntriesOf,
  lists: listsOfPosts(),
  entryOwner: byListedId(postKey),
  dependentsOf: post => [
    ...putBy([...slugActions(null, post), ...scheduledActions(null, post)]),
    { item: { ...bodyKey(post.id), version: post.body_version }, isIrreplaceable: true },
  ],
  dependents: {
    POST: { name: 'body', owner: byPartition(postKey), compared: ['version'] },
    SLUG: { name: 'slug lock', owner: byMember('id', postKey) },
    SCHEDULED: { name: 'row among the scheduled posts', owner: byMember('id', postKey) },
  },
})

/** Its record is the root of its list. */
export const categories = recordType({
  name: 'category',
  kind: 'CATEGORIES',
  labelOf: ({ sk }) => `category ${Number(sk)}`,
  schema: CategoryRecord,
  versionAttributes: ['version'],
  rootOf: ({ id }) => categoryList(id),
  dependentsOf: ({ id, slug }) => putBy([lockSlug(slug, id)]),
  dependents: { CATEGORYSLUG: { name: 'slug lock', owner: byMember('id', categoryKey) } },
})
