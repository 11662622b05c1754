// What a search costs, and in which order its conditions are looked up. No I/O.
import { type Condition, isRead } from './condition.ts'

/** So many words are all looked up, however many posts they are in. */
export const MOST_WORDS = 10

/** The postings that a search of more words reads at most: about 20 units. */
const MOST_POSTINGS = 50_000

export const MOST_CHECKED = 40

/** Units that documents take, each whatever it is asked, and postings, some thousands together or a block for each post. */
const UNITS_A_DOC = 0.5

const POSTINGS_A_UNIT = 2_500

const UNITS_A_POST = 1.5

/** How many are looked up at once, one step after the other: the first ones save most of what the others cost. */
const STEPS = [1, 2, Infinity]

/** Whether the documents of so many posts are cheaper than the postings of all that is left. */
export function isCheaperByDocs(posts: number, left: Iterable<Condition>): boolean {
  let units = 0
  for (const condition of left) {
    if (!isRead(condition)) units += Math.min(1 + condition.count / POSTINGS_A_UNIT, posts * UNITS_A_POST)
  }
  const isLast = [...left].some(({ terms }) => terms === undefined)
  return posts <= MOST_CHECKED && (isLast || posts * UNITS_A_DOC < units)
}

/** The rarest come first. Those that are read already cost nothing. */
export function affordableOf(conditions: Condition[]): Condition[] {
  let postings = 0
  return conditions.filter((condition, n) => {
    if (isRead(condition)) return true
    postings += condition.count
    return n < MOST_WORDS && postings <= MOST_POSTINGS
  })
}

export function stepsOf(conditions: Condition[]): Condition[][] {
  let from = 0
  return STEPS.map(size => {
    const step = conditions.slice(from, from + size)
    from += size
    return step
  }).filter(step => step.length > 0)
}
