// The lists of posts, and the entries of a post in them. No I/O.
import { fixedList, type List, type ListEntry, newestFirst } from '../lists/counted-list.ts'
import { textOrder } from '../lists/text-order.ts'
import { categoryKey, sortable, timeOrder } from '../table/design.ts'
import { ContentType } from './fields.ts'
import type { Post, PublicEntry } from './post.ts'

export const POSTS = newestFirst('posts')
export const PAGES = fixedList('pages', 'ascending')

/** A list for admins, by id: of drafts or of all, and of one type or of both. */
export function adminList(drafts: boolean, type: ContentType | undefined): List {
  return { ...newestFirst(`${drafts ? 'drafts' : 'admin'}:${type ?? 'all'}`), hasReferences: true }
}

/** The root of the list is the record of the category, so the list disappears with the category. */
export function categoryList(id: number): List {
  return {
    name: `category:${id}`,
    order: 'descending',
    root: categoryKey(id),
    fixed: false,
  }
}

/** Every list of posts, for the doctor. The function stands for the lists of all categories. */
export function listsOfPosts() {
  const types = [undefined, ...ContentType.options]
  const admin = [false, true].flatMap(drafts => types.map(type => adminList(drafts, type)))
  return [POSTS, PAGES, categoryList, ...admin]
}

export function listEntriesOf(post: Post): ListEntry[] {
  const { announced: _, revision: __, preview_epoch: ___, ...item } = post
  const types = [undefined, post.content_type]
  const admin = (post.is_published ? [false] : [false, true]).flatMap(drafts =>
    types.map(type => adminList(drafts, type)),
  )
  return [
    ...admin.map(list => ({ list, order: sortable(post.id), item: { id: post.id } })),
    ...publicListEntries(post).map(entry => ({ ...entry, item })),
  ]
}

/** The entries before and after a change; null before the post is created and after it is deleted. */
export function listChangeOf(before: Post | null, after: Post | null) {
  return { before: before ? listEntriesOf(before) : [], after: after ? listEntriesOf(after) : [] }
}

/** Scheduled posts already have entries. Readers leave them out until they are due. */
function publicListEntries(post: PublicEntry): { list: List; order: string }[] {
  if (!post.is_published || post.posted_at === null) return []
  if (post.content_type === 'page') return [{ list: PAGES, order: textOrder(post.title, post.id) }]
  const order = timeOrder(post.posted_at, post.id)
  return [POSTS, ...post.category_ids.map(categoryList)].map(list => ({ list, order }))
}

/** Returns the order keys of the scheduled posts in one list. */
export function scheduledOrders(listName: string, scheduled: PublicEntry[]): string[] {
  return scheduled.flatMap(row =>
    publicListEntries(row)
      .filter(({ list }) => list.name === listName)
      .map(({ order }) => order),
  )
}
