// The texts of the posts that the benchmark publishes: the same for every checkout.
import { openSite } from '../site.ts'
import type { PostText } from './side.ts'

const SITE = { count: 10_000, seed: 2 }

/** A word that no other post has, so that each post is searched by itself. */
export function markOf(n: number): string {
  return `zq${n}qz`
}

/** Gives another post each time, whose title ends with the mark of its number. The first is number 1. */
export type TextOf = () => PostText

export function openTexts(): TextOf {
  const site = openSite(SITE)
  return marked(n => site.post(1 + (n % SITE.count)).input)
}

/** The posts of a list, in its order and from its start again. */
export function textsOf(posts: PostText[]): TextOf {
  return marked(n => posts[(n - 1) % posts.length] ?? { title: '', body: '' })
}

function marked(postOf: (n: number) => PostText): TextOf {
  let last = 0
  return () => {
    const { title, short_description = '', body } = postOf(++last)
    return { title: `${title} ${markOf(last)}`, short_description, body }
  }
}
