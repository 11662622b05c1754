// Merges neighbouring segments into one, term by term. A posting that a later segment removes is left out.
// No I/O but that of its inputs.

import { byTerm, type Entry } from './entry.ts'
import { byRank, type Posting } from './posting.ts'

/** The entries of a segment in the order of their terms. */
export type Entries = AsyncIterator<Entry, void, void>

/** The posts of a segment, by id: in `plus` of all their terms, and in `minus`. */
export type PostsOfSegment = { added: Set<number>; removed: Set<number> }

export function postsOf(all: Entry | undefined): PostsOfSegment {
  const ids = (postings: Posting[] = []) => new Set(postings.map(({ id }) => id))
  return { added: ids(all?.plus), removed: ids(all?.minus) }
}

/** The posts of the segment that the merge of these writes. */
export function postsAfterMerge(inputs: PostsOfSegment[], isOldest: boolean): PostsOfSegment {
  const [added, removed] = [new Set<number>(), new Set<number>()]
  for (const input of inputs) {
    for (const id of input.removed) if (!added.delete(id) && !isOldest) removed.add(id)
    for (const id of input.added) added.add(id)
  }
  return { added, removed }
}

/** Oldest first. */
export type MergeInput = { entries: Entries; posts: PostsOfSegment }

/** `isOldest`: no segment is older than the inputs, so that nothing is left to remove. */
export async function* mergeEntries(inputs: MergeInput[], isOldest: boolean): AsyncGenerator<Entry> {
  const heads = await Promise.all(inputs.map(({ entries }) => nextOf(entries)))
  const removedAfter = inputs.map((_, n) => setsOf(inputs.slice(n + 1), 'removed'))
  const addedBefore = inputs.map((_, n) => setsOf(inputs.slice(0, n), 'added'))
  for (;;) {
    const term = lowestTerm(heads)
    if (term === undefined) return
    const merged: Entry = { term, plus: [], minus: [] }
    let sources = 0
    for (const [n, input] of inputs.entries()) {
      const head = heads[n]
      if (head?.term !== term) continue
      sources++
      for (const posting of head.plus) {
        if (!isInAny(removedAfter[n], posting)) merged.plus.push(posting)
      }
      for (const posting of isOldest ? [] : head.minus) {
        if (!isInAny(addedBefore[n], posting)) merged.minus.push(posting)
      }
      heads[n] = await nextOf(input.entries)
    }
    if (sources > 1) {
      merged.plus.sort(byRank)
      merged.minus.sort(byRank)
    }
    if (merged.plus.length + merged.minus.length > 0) yield merged
  }
}

function setsOf(inputs: MergeInput[], what: keyof PostsOfSegment): Set<number>[] {
  return inputs.map(({ posts }) => posts[what]).filter(({ size }) => size > 0)
}

function isInAny(sets: Set<number>[] = [], { id }: Posting): boolean {
  return sets.some(ids => ids.has(id))
}

async function nextOf(entries: Entries): Promise<Entry | undefined> {
  const { value, done } = await entries.next()
  return done ? undefined : value
}

function lowestTerm(heads: (Entry | undefined)[]): string | undefined {
  return heads.flatMap(head => head?.term ?? []).sort(byTerm)[0]
}
