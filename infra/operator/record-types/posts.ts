// Posts, pages and categories.
import { CategoryRecord } from '../../../shared/categories/category.ts'
import { lockSlug } from '../../../shared/categories/commands.ts'
import { scheduledActions, slugActions } from '../../../shared/posts/commands/commit.ts'
import type { ContentType } from '../../../shared/posts/fields.ts'
import { adminList, categoryList, listEntriesOf, listsOfPosts } from '../../../shared/posts/lists.ts'
import { Post } from '../../../shared/posts/post.ts'
import { listScheduled } from '../../../shared/posts/store/scheduled.ts'
import { bodyKey, categoryKey, postKey } from '../../../shared/table/design.ts'
import { type Count, lengthIn } from '../count.ts'
import { byListedId, byMember, byPartition, putBy, recordType } from '../record-type.ts'

/** Every record is in its admin list, and every unpublished one in the list of drafts as well. */
function postsByState(type: ContentType): Count {
  const [all, drafts] = [adminList(false, type), adminList(true, type)]
  return async ({ target: { table }, nowSeconds }) => {
    const [total, draft, waiting] = await Promise.all([
      lengthIn(table, all),
      lengthIn(table, drafts),
      listScheduled(table, nowSeconds),
    ])
    const scheduled = waiting.filter(row => row.content_type === type).length
    return { published: Math.max(0, total - draft - scheduled), scheduled, draft, total }
  }
}

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
  counts: { posts: postsByState('post'), pages: postsByState('page') },
})

/** Its record is the root of its list; `counts` shows the posts of each category by itself. */
export const categories = recordType({
  name: 'category',
  kind: 'CATEGORIES',
  labelOf: ({ sk }) => `category ${Number(sk)}`,
  schema: CategoryRecord,
  versionAttributes: ['version'],
  rootOf: ({ id }) => categoryList(id),
  dependentsOf: ({ id, slug }) => putBy([lockSlug(slug, id)]),
  dependents: { CATEGORYSLUG: { name: 'slug lock', owner: byMember('id', categoryKey) } },
  counts: {},
})
