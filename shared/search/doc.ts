// A post as the index knows it: its place in the order of finds, and the words in each of its fields.
import * as z from 'zod/mini'
import type { Message } from '../events/message.ts'
import { cut } from '../lists/text-order.ts'
import type { Post } from '../posts/post.ts'
import type { Posting } from './posting.ts'
import { FIELDS, type Field, LIGHTEST } from './weights.ts'
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

/** `text` is that of the body, without tags. */
export function docOf(post: Post & { posted_at: number }, text: string): Doc {
  return {
    id: post.id,
    posted_at: post.posted_at,
    is_page: post.content_type === 'page',
    category_ids: post.category_ids,
    body_sha256: post.body_sha256,
    ...wordsByField({ title: post.title, short: post.short_description, body: text }),
  }
}

/** Each word is in its heaviest field only. */
function wordsByField(texts: Record<Field, string>): Record<Field, string[]> {
  const words: Record<Field, string[]> = { title: [], short: [], body: [] }
  const indexed = new Set<string>()
  for (const [field] of FIELDS) {
    words[field] = wordsOf(texts[field]).filter(word => !indexed.has(word))
    for (const word of words[field]) indexed.add(word)
  }
  return words
}

/** Beginnings that have a list of their own, whatever words they begin. */
export const PREFIX_LENGTHS = [2, 3] as const
const LONGEST_PREFIX = 3

/**
 * Terms are the words of four characters and more, the beginnings of two and three characters (with a star), and
 * the categories (with a slash). No word holds either.
 */
export function prefixTerm(word: string, length: number): string {
  return `${cut(word, length)}*`
}

export function categoryTerm(id: number): string {
  return `/${id}`
}

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
      for (const length of PREFIX_LENGTHS) if (characters >= length) add(prefixTerm(word, length), weight)
      if (characters > LONGEST_PREFIX) add(word, weight)
    }
  }
  // A search in a category ranks by words: this weight only has a place in the packing.
  for (const id of doc.category_ids) add(categoryTerm(id), LIGHTEST)
  return postings
}
