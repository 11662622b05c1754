// The fields that a search looks in and how much a hit in each weighs. Packing and ranking derive from this table.

/** Heaviest first: a word in several fields counts in the first of them only. */
export const FIELDS = [
  ['title', 3],
  ['short', 2],
  ['body', 1],
] as const

export type Field = (typeof FIELDS)[number][0]

/** The different weights, heaviest first. A posting is stored with the position of its weight in this list. */
export const WEIGHTS = [...new Set<number>(FIELDS.map(([, weight]) => weight))]
export const HEAVIEST = FIELDS[0][1]
export const LIGHTEST = WEIGHTS.at(-1) ?? HEAVIEST

/** The position of a weight among all weights: 0 for the heaviest. */
export function levelOf(weight: number): number {
  const level = WEIGHTS.indexOf(weight)
  if (level < 0) throw new Error(`No field weighs ${weight}.`)
  return level
}
