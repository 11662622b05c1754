// Searches for every post by words of its title and its body.
import * as z from 'zod/mini'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import type { SourcePost } from '../../import/source.ts'
import { type Side, secondsSince, send } from '../speed/side.ts'

const CLIENTS = 4
const PER_PAGE = 100
const FROM_TITLE = 5
const FROM_BODY = 4
/** How long a post may take to be found. */
const FOUND_WITHIN_S = 30 * 60

const Hits = z.object({
  data: z.array(z.object({ slug: z.string() })),
  pagination: z.object({ last_page: z.int() }),
})

/** Waits until each post is found. Returns a line for each that is not. */
export async function findEach(side: Side, posts: SourcePost[]): Promise<string[]> {
  const problems: string[] = []
  const startedMs = performance.now()
  await mapConcurrently(posts, CLIENTS, async post => {
    const words = wordsOf(post)
    while (!(await isFound(side, post.slug, words))) {
      if (secondsSince(startedMs) < FOUND_WITHIN_S) continue
      problems.push(`${post.slug} is not found by ${words.join(' ')}`)
      return
    }
  })
  return problems
}

/** Looks through all pages of the list, since a search itself shows the best 50 only. */
export async function isFound(side: Side, slug: string, words: string[]): Promise<boolean> {
  const q = encodeURIComponent(words.join(' '))
  for (let page = 1; ; page++) {
    const { text } = await send(side, 'GET', `posts?q=${q}&per_page=${PER_PAGE}&page=${page}`)
    const { data, pagination } = Hits.parse(JSON.parse(text))
    if (data.some(hit => hit.slug === slug)) return true
    if (page >= pagination.last_page) return false
  }
}

/** Words of one script without anything around them that a search might treat as a part of them. */
const PLAIN_WORD = /(?<![\p{L}\p{M}\p{N}_.'’:/@&;-])[a-z]{4,12}(?![\p{L}\p{M}\p{N}_.'’:/@&;-])/giu
const PARAGRAPH = /<p>([\s\S]*?)<\/p>/g

export function wordsOf({ title, body }: SourcePost): string[] {
  const paragraphs = [...body.matchAll(PARAGRAPH)].map(([, html = '']) => html.replace(/<[^>]*>/g, ' '))
  const inBody = plainWords(paragraphs.join('\n')).toSorted((a, b) => b.length - a.length)
  const words = [...plainWords(title).slice(0, FROM_TITLE), ...inBody.slice(0, FROM_BODY)]
  return words.length > 0 ? [...new Set(words)] : [title]
}

function plainWords(text: string): string[] {
  return [...new Set((text.match(PLAIN_WORD) ?? []).map(word => word.toLowerCase()))]
}
