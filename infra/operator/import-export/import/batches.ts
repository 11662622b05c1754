// Which posts are written in one transaction: those in the same lists, as many as its 100 actions hold.
import { MAX_ACTIONS } from './job.ts'
import type { PreparedPost } from './prepare-post.ts'

export type BatchSizes = ReturnType<typeof openBatchSizes>

/** Of the feed: the version and its row. */
const FEED_ACTIONS = 2
/** Updates of the root and of an inner node. */
const ACTIONS_PER_LIST = 2

/** Those in the same lists stand together. */
export function byLists(a: PreparedPost, b: PreparedPost): number {
  if (a.listKey === b.listKey) return a.id - b.id
  return a.listKey < b.listKey ? -1 : 1
}

export function openBatchSizes() {
  /** Inner nodes that the last transaction updated besides one of each list. */
  let more = 0

  /** The number of the first posts that fit into one transaction. */
  const countIn = (posts: PreparedPost[]): number => {
    const count = openCount()
    const first = posts.findIndex(post => count(post) + more > MAX_ACTIONS)
    return first < 0 ? posts.length : Math.max(1, first)
  }

  const fitted = (posts: PreparedPost[], actions: number): void => {
    const count = openCount()
    const expected = posts.map(count).at(-1) ?? 0
    more = Math.max(0, actions - expected)
  }

  const exceeded = (): void => {
    more += ACTIONS_PER_LIST
  }
  return { countIn, fitted, exceeded }
}

/** Returns a function that counts the actions of a transaction with this post and all before it. */
function openCount() {
  const all = new Set<string>()
  let own = FEED_ACTIONS
  return ({ lists, actions }: PreparedPost): number => {
    for (const name of lists) all.add(name)
    own += actions + lists.length
    return own + ACTIONS_PER_LIST * all.size
  }
}
