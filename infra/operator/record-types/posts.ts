// Posts, pages and categories.
import { CategoryRecord } from '../../../shared/categories/category.ts'
import { lockSlug } from '../../../shared/categories/commands.ts'
import { cleanUpComments } from '../../../shared/comments/commands.ts'
import { scheduledActions, slugActions } from '../../../shared/posts/commands/commit.ts'
import type { ContentType } from '../../../shared/posts/fields.ts'
import { textOf } from '../../../shared/posts/html-text.ts'
import { adminList, categoryList, listEntriesOf, listsOfPosts } from '../../../shared/posts/lists.ts'
import { Post } from '../../../shared/posts/post.ts'
import { bodyTextOf } from '../../../shared/posts/store/bodies.ts'
import { listScheduled } from '../../../shared/posts/store/scheduled.ts'
import { awaitsAnnouncement } from '../../../shared/search/document.ts'
import { dueActions } from '../../../shared/search/index-actions.ts'
import type { Table } from '../../../shared/table/client.ts'
import {
  bodyKey,
  categoryKey,
  dueDocKey,
  dueIdIn,
  dueMarkerKey,
  nameIn,
  postKey,
} from '../../../shared/table/design.ts'
import { type Count, lengthIn } from '../count.ts'
import {
  byListedId,
  byMember,
  byPartition,
  type Dependent,
  keyById,
  putBy,
  recordType,
} from '../record-type.ts'

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

/** What searches read of a scheduled post from its second on; of a text that is too long nothing. */
async function dueItems(table: Table, post: Post & { posted_at: number }): Promise<Dependent[]> {
  const body = await bodyTextOf(table, post, (await table.findMany([bodyKey(post.id)]))[0])
  if (body !== undefined) {
    return putBy(await dueActions({ before: null, after: post, text: () => textOf(body) })).map(due => ({
      ...due,
      isWhole: true,
    }))
  }
  // Nothing can be said without the body, which is reported by itself.
  const stored = await table.findMany([dueDocKey(post.id), dueMarkerKey(post.posted_at, post.id)])
  return stored.map(item => ({ item }))
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
  findMore: post => (awaitsAnnouncement(post) ? table => dueItems(table, post) : undefined),
  dependents: {
    POST: { name: 'body', owner: byPartition(postKey), compared: ['version'] },
    SLUG: { name: 'slug lock', owner: byMember('id', postKey) },
    SCHEDULED: { name: 'row among the scheduled posts', owner: byMember('id', postKey) },
    DOC: {
      name: 'document for searches from its time on',
      owner: ({ pk, sk }) => (sk === dueDocKey(0).sk ? keyById(Number(nameIn(pk)), postKey) : undefined),
      compared: ['digest'],
    },
    INDEX: {
      name: 'marker for searches from its time on',
      owner: ({ sk }) => keyById(dueIdIn(sk), postKey),
      compared: [],
    },
    THREAD: {
      name: 'comment',
      owner: byPartition(postKey),
      isOptional: () => true,
      remove: async ({ target }, { pk }) => {
        const post_id = Number(nameIn(pk))
        while (await cleanUpComments(target.table, { kind: 'comments', post_id, path: [] }));
      },
    },
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
