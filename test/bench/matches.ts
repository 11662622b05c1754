// Which posts of a generated site a search must find: a plain scan of the words that they were made of.
import type { Site, SitePost } from './site.ts'

/** Each word must be the beginning of a word of the post; `category` is the id of one that it is in. */
export type Wanted = { words: string[]; category?: number; type?: 'post' | 'page' }

/** In public view: published, and of the past. */
export function isShown({ input }: SitePost, nowSeconds: number): boolean {
  return input.is_published && input.posted_at <= nowSeconds
}

/** For each of the wanted, the ids of the posts and pages in public view that match, in one pass over the site. */
export function scanFor(site: Site, wanted: Wanted[], nowSeconds: number): Set<number>[] {
  const found = wanted.map(() => new Set<number>())
  for (let id = 1; id <= site.count; id++) {
    const post = site.post(id)
    if (!isShown(post, nowSeconds)) continue
    for (const [n, each] of wanted.entries()) if (matches(post, each)) found[n]?.add(id)
  }
  return found
}

function matches({ words, input }: SitePost, wanted: Wanted): boolean {
  return (
    (wanted.type === undefined || input.content_type === wanted.type) &&
    (wanted.category === undefined || input.category_ids.includes(wanted.category)) &&
    wanted.words.every(beginning => words.some(word => word.startsWith(beginning)))
  )
}
