// Finds the posts of a generated site that a search must find, by a plain scan of their words.
import type { Site, SitePost } from './site.ts'

/** Each word must begin a word of the post; `category` is the id of one of its categories. */
export type SearchCase = { words: string[]; category?: number; type?: 'post' | 'page' }

/** Whether the post is in public view: published, with a date in the past. */
export function isPublic({ input }: SitePost, nowSeconds: number): boolean {
  return input.is_published && input.posted_at <= nowSeconds
}

/** For each search, the ids of the matching posts and pages in public view, in one pass over the site. */
export function scanFor(site: Site, cases: SearchCase[], nowSeconds: number): Set<number>[] {
  const found = cases.map(() => new Set<number>())
  for (let id = 1; id <= site.count; id++) {
    const post = site.post(id)
    if (!isPublic(post, nowSeconds)) continue
    for (const [n, search] of cases.entries()) if (matches(post, search)) found[n]?.add(id)
  }
  return found
}

function matches({ words, input }: SitePost, search: SearchCase): boolean {
  return (
    (search.type === undefined || input.content_type === search.type) &&
    (search.category === undefined || input.category_ids.includes(search.category)) &&
    search.words.every(beginning => words.some(word => word.startsWith(beginning)))
  )
}
