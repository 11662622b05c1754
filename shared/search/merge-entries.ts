// Merges neighbouring segments into one, term by term. A posting that a later segment removes is left out.
// No I/O but that of its inputs.
import { byTerm, type Entry, type Postings } from './entry.ts'
import { byRank, type Posting } from './posting.ts'

/** The entries of a segment in the order of their terms. */
export type Entries = AsyncIterator<Entry, void, void>

/**
 * Oldest first. The first entry of each is that of all its posts. `isOldest`: no segment is older than the
 * inputs, so that nothing is left to remove.
 */
export async function* mergeEntries(inputs: Entries[], isOldest: boolean): AsyncGenerator<Entry> {
  const heads = await Promise.all(inputs.map(nextOf))
  const [added, removed] = [idsIn(heads, 'plus'), idsIn(heads, 'minus')]
  for (;;) {
    const term = lowestTerm(heads)
    if (term === undefined) return
    const merged: Entry = { term, plus: [], minus: [] }
    let sources = 0
    for (const [n, input] of inputs.entries()) {
      const head = heads[n]
      if (head?.term !== term) continue
      sources++
      const [earlier, later] = [added.slice(0, n), removed.slice(n + 1)]
      for (const posting of head.plus) {
        if (!isInAny(later, posting)) merged.plus.push(posting)
      }
      for (const posting of isOldest ? [] : head.minus) {
        if (!isInAny(earlier, posting)) merged.minus.push(posting)
      }
      heads[n] = await nextOf(input)
    }
    if (sources > 1) {
      merged.plus.sort(byRank)
      merged.minus.sort(byRank)
    }
    if (merged.plus.length + merged.minus.length > 0) yield merged
  }
}

function idsIn(heads: (Entry | undefined)[], what: keyof Postings): Set<number>[] {
  return heads.map(head => new Set(head?.[what].map(({ id }) => id)))
}

function isInAny(sets: Set<number>[], { id }: Posting): boolean {
  return sets.some(ids => ids.has(id))
}

async function nextOf(entries: Entries): Promise<Entry | undefined> {
  const { value, done } = await entries.next()
  return done ? undefined : value
}

function lowestTerm(heads: (Entry | undefined)[]): string | undefined {
  return heads.flatMap(head => head?.term ?? []).sort(byTerm)[0]
}
