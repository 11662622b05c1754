// Reads posts without their bodies: by slug, and related ones; and the names that posts show.
import * as z from 'zod/mini'
import { findAuthors } from '../../accounts/store/users.ts'
import { findCategoryNames } from '../../categories/store.ts'
import { listAfter } from '../../lists/counted-list.ts'
import { isSlug } from '../../slugs/slug.ts'
import type { Table } from '../../table/client.ts'
import { postKey, slugKey, timeOrder } from '../../table/design.ts'
import { categoryList } from '../lists.ts'
import { isPublic, Post, PostEntry } from '../post.ts'
import type { Names } from '../view.ts'

/** No record has this id. By reading it, an unknown slug costs the same as the slug of a hidden post. */
export const UNUSED_ID = 0

/** Contains both ids, so that the post and the profile of its author can be read in parallel. */
const SlugLock = z.object({ id: z.int(), author_id: z.int() })

export async function findSlugLock(table: Table, slug: string) {
  return isSlug(slug) ? await table.find(slugKey(slug), SlugLock) : undefined
}

/** Returns a public post without its body. `id` is undefined if the slug is unknown. */
export async function findPublicPost(table: Table, id: number | undefined, nowSeconds: number) {
  const post = await table.find(postKey(id ?? UNUSED_ID), Post)
  return post && isPublic(post, 'post', nowSeconds) ? post : undefined
}

/** The order key of the last post in a list by date that may be public. */
export function lastAt(nowSeconds: number): string {
  return timeOrder(nowSeconds, Number.MAX_SAFE_INTEGER)
}

const MAX_RELATED = 5

/** Returns the newest other live posts that share a category with `post`. */
export async function listRelated(table: Table, post: Post, nowSeconds: number): Promise<PostEntry[]> {
  const below = lastAt(nowSeconds)
  const newest = await Promise.all(
    post.category_ids.map(id =>
      listAfter(
        table,
        { list: categoryList(id), after: undefined, count: MAX_RELATED + 1, below },
        PostEntry,
      ),
    ),
  )
  const others = newest.flatMap(({ items }) => items).filter(({ id }) => id !== post.id)
  const unique = [...new Map(others.map(entry => [entry.id, entry])).values()]
  return unique.sort((a, b) => (b.posted_at ?? 0) - (a.posted_at ?? 0) || b.id - a.id).slice(0, MAX_RELATED)
}

/**
 * One round trip. `table`: as it is read for names. `profiles`: the plain table for posts that readers do not
 * see, since the new name of an author without public posts ends nothing that is remembered.
 */
export async function namesFor(
  table: Table,
  posts: { author_id: number; category_ids: number[] }[],
  profiles = table,
): Promise<Names> {
  const [categories, authors] = await Promise.all([
    findCategoryNames(table, new Set(posts.flatMap(({ category_ids }) => category_ids))),
    findAuthors(profiles, new Set(posts.map(({ author_id }) => author_id))),
  ])
  return { categories, authors }
}
