// The texts of the posts that benchmarks publish: the same in every run.
import { openSite } from './site.ts'

const SITE = { count: 10_000, seed: 2 }

/** Gives another post each time, with a word that no other post has. */
export function openTexts() {
  const site = openSite(SITE)
  let last = 0
  return () => {
    const { title, short_description = '', body } = site.post(1 + (++last % SITE.count)).input
    return { title: `${title} zq${last}qz`, short_description, body }
  }
}
