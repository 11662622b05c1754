// The document of a post in the search index: what ranks it, and the words of each field.
import * as z from 'zod/mini'
import { firstIndex } from '../table/concurrency.ts'
import { FIELDS, type Field, LIGHTEST, type Posting } from './posting.ts'
import { indexedWords } from './tokenizer.ts'

/** What the index needs to know of a post. */
export type SearchablePost = {
  id: number
  revision: number
  is_published: boolean
  announced: boolean
  posted_at: number | null
  content_type: 'post' | 'page'
  category_ids: number[]
  title: string
  short_description: string
  body_sha256: string
}
type DatedPost<Post> = Post & { posted_at: number }

export type SearchDocument = {
  id: number
  posted_at: number
  is_page: boolean
  category_ids: number[]
  body_sha256: string
  /** Sorted, each word in its heaviest field only. */
  title: string[]
  short: string[]
  body: string[]
}

/** Ignores the clock, so that the write of a post and the index worker agree. */
export function belongsInIndex<Post extends SearchablePost>(post: Post | null): post is DatedPost<Post> {
  return post?.is_published === true && post.announced && post.posted_at !== null
}

/** Its announcement brings it into the index. Searches find it before, from its second on. */
export function awaitsAnnouncement<Post extends SearchablePost>(post: Post | null): post is DatedPost<Post> {
  return post?.is_published === true && !post.announced && post.posted_at !== null
}

/** `text`: the body without tags. */
export function documentOf(post: DatedPost<SearchablePost>, text: string): SearchDocument {
  return {
    id: post.id,
    posted_at: post.posted_at,
    is_page: post.content_type === 'page',
    category_ids: post.category_ids,
    body_sha256: post.body_sha256,
    ...wordsByField({ title: post.title, short: post.short_description, body: text }),
  }
}

/** Further words are not indexed: a document is one item, which the transaction of its post writes. */
const MAX_WORD_BYTES = 300_000

function wordsByField(texts: Record<Field, string>): Record<Field, string[]> {
  const words: Record<Field, string[]> = { title: [], short: [], body: [] }
  const indexed = new Set<string>()
  let bytes = 0
  for (const [field] of FIELDS) {
    for (const word of indexedWords(texts[field])) {
      if (indexed.has(word)) continue
      bytes += Buffer.byteLength(word)
      if (bytes > MAX_WORD_BYTES) break
      indexed.add(word)
      words[field].push(word)
    }
    words[field].sort()
  }
  return words
}

/** Every document has this term, so that its postings are all posts of a segment. It sorts first. */
export const ALL_TERM = ''

export function categoryTerm(id: number): string {
  return `/${id}`
}

/** Terms are the words of two and more characters, the categories, and the term of all. */
export function isWord(term: string): boolean {
  return term !== ALL_TERM && !term.startsWith('/')
}

/** The posting of the document for each of its terms. */
export function termsOf(doc: SearchDocument): Map<string, Posting> {
  const postings = new Map<string, Posting>()
  const posting = { posted_at: doc.posted_at, id: doc.id, is_page: doc.is_page }
  for (const [field, weight] of FIELDS) {
    const weighted = { ...posting, weight }
    for (const word of doc[field]) postings.set(word, weighted)
  }
  // The weight of these is never used, but the format needs one.
  const lightest = { ...posting, weight: LIGHTEST }
  for (const id of doc.category_ids) postings.set(categoryTerm(id), lightest)
  return postings.set(ALL_TERM, lightest)
}

/** The weight of the heaviest field with a word that begins with `prefix`. */
export function weightOfPrefix(doc: SearchDocument, prefix: string): number | undefined {
  return FIELDS.find(([field]) => hasPrefix(doc[field], prefix))?.[1]
}

/** Expects sorted words. */
function hasPrefix(words: string[], prefix: string): boolean {
  return words[firstIndex(words, word => word >= prefix)]?.startsWith(prefix) === true
}

const SEPARATOR = ' '

/** No word contains a space, so the words of a field are stored as one text. */
const StoredDocument = z.lazy(() => {
  const words = z.pipe(
    z.string(),
    z.transform(text => (text === '' ? [] : text.split(SEPARATOR))),
  )
  return z.object({
    id: z.int(),
    posted_at: z.int(),
    is_page: z.boolean(),
    category_ids: z.array(z.int()),
    body_sha256: z.string(),
    title: words,
    short: words,
    body: words,
  })
})

export function documentText({ title, short, body, ...members }: SearchDocument): string {
  const [titleText, shortText, bodyText] = [title, short, body].map(words => words.join(SEPARATOR))
  return JSON.stringify({ ...members, title: titleText, short: shortText, body: bodyText })
}

/** Throws on a text that it cannot read. */
export function parseDocument(text: string): SearchDocument {
  return StoredDocument.parse(JSON.parse(text))
}
