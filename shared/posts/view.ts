// The views of a post for readers and for admins. No I/O.
import { type Author, nameOf } from '../accounts/user.ts'
import { byName } from '../categories/category.ts'
import { isoTime } from '../http/time.ts'
import {
  type AdminListItem,
  type AdminPost,
  type PostListItem,
  PostTexts,
  type SinglePost,
} from './fields.ts'
import { type PostEntry, statusOf } from './post.ts'

type CategoryName = { id: number; name: string; slug: string }

export function namesOf(categories: CategoryName[], authors: Map<number, Author>): Names {
  return { categories: new Map(categories.map(({ id, name, slug }) => [id, { id, name, slug }])), authors }
}

/** The names behind the ids in posts. Deleted categories are missing, so no view shows them. */
export type Names = { categories: Map<number, CategoryName>; authors: Map<number, Author> }

/** A public post always has `posted_at`; a draft that a preview shows may have none. */
function publicDate(post: PostEntry): string {
  return isoTime(post.posted_at ?? post.updated_at)
}

export function listItem(post: PostEntry, names: Names): PostListItem {
  return common(post, names, publicDate(post))
}

export function singlePost(post: PostEntry, body: string, names: Names): SinglePost {
  return { ...common(post, names, publicDate(post)), body, ...PostTexts.parse(post) }
}

export function adminListItem(post: PostEntry, names: Names, nowSeconds: number): AdminListItem {
  const shown = common(post, names, post.posted_at === null ? null : isoTime(post.posted_at))
  return {
    ...shown,
    ...PostTexts.parse(post),
    is_published: post.is_published,
    status: statusOf(post, nowSeconds),
    short_description: post.short_description,
    category_ids: post.category_ids.filter(id => names.categories.has(id)),
    author_id: post.author_id,
    created_at: isoTime(post.created_at),
    version: post.version,
  }
}

export function adminPost(post: PostEntry, body: string, names: Names, nowSeconds: number): AdminPost {
  return { ...adminListItem(post, names, nowSeconds), body }
}

function common<Date>(post: PostEntry, { categories, authors }: Names, posted_at: Date) {
  const author = authors.get(post.author_id)
  return {
    id: post.id,
    title: post.title,
    slug: post.slug,
    excerpt: post.excerpt,
    content_type: post.content_type,
    featured_image: post.featured_image,
    author: { name: nameOf(author), avatar: author?.avatar ?? null },
    categories: post.category_ids.flatMap(id => categories.get(id) ?? []).sort(byName),
    reading_time: post.reading_time,
    posted_at,
    updated_at: isoTime(post.updated_at),
  }
}
