// A post as the index knows it: its place in the order of finds, and the words in each of its fields.
import * as z from 'zod/mini'
import type { Message } from '../events/message.ts'
import { cut } from '../lists/text-order.ts'
import type { Post } from '../posts/post.ts'
import type { Posting } from './posting.ts'
import { wordsOf } from './words.ts'

/** Built when the first one is read: most reads are no searches. */
export const Doc = z.lazy(() =>
  z.object({
    id: z.int(),
    posted_at: z.int(),
    is_page: z.boolean(),
    category_ids: z.array(z.int()),
    /** Whether its words are those of the body can be told without reading either. */
    body_sha256: z.string(),
    title: z.array(z.string()),
    short: z.array(z.string()),
    body: z.array(z.string()),
  }),
)
export type Doc = z.infer<typeof Doc>

/** Fields by what a find in them weighs. */
export const FIELDS = [
  ['title', 3],
  ['short', 2],
  ['body', 1],
] as const

/**
 * In the index is what has been in public view since its last write: the record says so by itself, and no clock
 * is asked, so that whoever writes the index and whoever leaves it agree.
 */
export function isIndexed(post: Post | null): post is Post & { posted_at: number } {
  return post?.is_published === true && post.announced && post.posted_at !== null
}

/** Those of one post are handed out one after the other: it has one writer at a time. */
export function indexMessage(postId: number): Message {
  return {
    queue: 'index',
    group: String(postId),
    body: { post_id: postId },
  }
}

export function indexMessages(before: Post | null, after: Post | null): Message[] {
  const post = [after, before].find(isIndexed)
  return post ? [indexMessage(post.id)] : []
}

/** `text` is the body's, without tags. Each word stands in its best field only. */
export function docOf(post: Post & { posted_at: number }, text: string): Doc {
  const title = wordsOf(post.title)
  const short = without(wordsOf(post.short_description), title)
  return {
    id: post.id,
    posted_at: post.posted_at,
    is_page: post.content_type === 'page',
    category_ids: post.category_ids,
    body_sha256: post.body_sha256,
    title,
    short,
    body: without(wordsOf(text), [...title, ...short]),
  }
}

function without(words: string[], others: string[]): string[] {
  const known = new Set(others)
  return words.filter(word => !known.has(word))
}

/** Beginnings that have a list of their own, whatever words they begin. */
export const STARTS = [2, 3] as const
const LONGEST_START = 3

/**
 * Terms are the words of four characters and more, the beginnings of two and three characters (with a star), and
 * the categories (with a slash). No word holds either.
 */
export function startTerm(word: string, length: number): string {
  return `${cut(word, length)}*`
}

export function categoryTerm(id: number): string {
  return `/${id}`
}

/** Of no weight: a search within a category ranks by its words. */
const CATEGORY_WEIGHT = 1

/** The posting of the document in the list of each of its terms, by term. */
export function postingsOf(doc: Doc): Map<string, Posting> {
  const postings = new Map<string, Posting>()
  const posting = { posted_at: doc.posted_at, id: doc.id, is_page: doc.is_page }
  const add = (term: string, weight: number) => {
    if (!postings.has(term)) postings.set(term, { ...posting, weight })
  }
  for (const [field, weight] of FIELDS) {
    for (const word of doc[field]) {
      const characters = Array.from(word).length
      for (const length of STARTS) if (characters >= length) add(startTerm(word, length), weight)
      if (characters > LONGEST_START) add(word, weight)
    }
  }
  for (const id of doc.category_ids) add(categoryTerm(id), CATEGORY_WEIGHT)
  return postings
}
