// The fields that a search covers, and their weights. Packed postings and the rank of hits derive from them.

/** Heaviest first: a word in several fields counts only in the first of them. */
export const FIELDS = [
  ['title', 3],
  ['short', 2],
  ['body', 1],
] as const

export type Field = (typeof FIELDS)[number][0]

/** The distinct weights, heaviest first. A posting stores the position of its weight in this list. */
export const WEIGHTS = [...new Set<number>(FIELDS.map(([, weight]) => weight))]
export const HEAVIEST = FIELDS[0][1]
export const LIGHTEST = WEIGHTS.at(-1) ?? HEAVIEST

/** The position of a weight among all weights: 0 for the heaviest. */
export function levelOf(weight: number): number {
  const level = WEIGHTS.indexOf(weight)
  if (level < 0) throw new Error(`No field has the weight ${weight}.`)
  return level
}
