// The document of a post in the search index: what ranks it, and the words of each field.
import * as z from 'zod/mini'
import type { Message } from '../events/message.ts'
import { cut } from '../lists/text-order.ts'
import type { Post } from '../posts/post.ts'
import type { Posting } from './posting.ts'
import { tokenize } from './tokenizer.ts'
import { FIELDS, type Field, LIGHTEST } from './weights.ts'

/** Lazy: most requests read no document. */
export const SearchDocument = z.lazy(() =>
  z.object({
    id: z.int(),
    posted_at: z.int(),
    is_page: z.boolean(),
    category_ids: z.array(z.int()),
    /** Stored with every document. It is compared only with the whole document. */
    body_sha256: z.string(),
    title: z.array(z.string()),
    short: z.array(z.string()),
    body: z.array(z.string()),
  }),
)
export type SearchDocument = z.infer<typeof SearchDocument>

/** Ignores the clock, so that the write of a post and the index worker agree. */
export function belongsInIndex(post: Post | null): post is Post & { posted_at: number } {
  return post?.is_published === true && post.announced && post.posted_at !== null
}

/** The messages of one post are a group, which the queue delivers one at a time. */
export function indexMessage(postId: number): Message {
  return {
    queue: 'index',
    group: String(postId),
    body: { post_id: postId },
  }
}

export function indexMessages(before: Post | null, after: Post | null): Message[] {
  const post = [after, before].find(belongsInIndex)
  return post ? [indexMessage(post.id)] : []
}

/** `text`: the body without tags. */
export function documentOf(post: Post & { posted_at: number }, text: string): SearchDocument {
  return {
    id: post.id,
    posted_at: post.posted_at,
    is_page: post.content_type === 'page',
    category_ids: post.category_ids,
    body_sha256: post.body_sha256,
    ...wordsByField({ title: post.title, short: post.short_description, body: text }),
  }
}

/** Lists each word in its heaviest field only. */
function wordsByField(texts: Record<Field, string>): Record<Field, string[]> {
  const words: Record<Field, string[]> = { title: [], short: [], body: [] }
  const indexed = new Set<string>()
  for (const [field] of FIELDS) {
    words[field] = tokenize(texts[field]).filter(word => !indexed.has(word))
    for (const word of words[field]) indexed.add(word)
  }
  return words
}

/** Prefixes of these lengths are terms, with the postings of all words that begin with them. */
export const PREFIX_LENGTHS = [2, 3] as const
const LONGEST_PREFIX = 3

/** Terms are words of four and more characters, prefixes (`ab*`) and categories (`/7`). */
export function prefixTerm(word: string, length: number): string {
  return `${cut(word, length)}*`
}

export function categoryTerm(id: number): string {
  return `/${id}`
}

/** The posting of the document for each of its terms. */
export function postingsOf(doc: SearchDocument): Map<string, Posting> {
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
  // The weight is never used, because categories do not count in the rank, but the format needs one.
  for (const id of doc.category_ids) add(categoryTerm(id), LIGHTEST)
  return postings
}
