// Where in several lists, read as one from the highest order key down, a page may be. No I/O.

/** A child of a node, up to `until`: '' for the end of its list. */
export type Bounded = { from: string; until: string; count: number }

/** The children of each list that may contain the page, and how many of their entries come before it. */
export type Window = {
  lists: Bounded[][]
  skip: number
  /** All of them start below this key. Undefined: from the beginning of the lists. */
  top: string | undefined
}

/** An order key, and the number of entries from it on: those that certainly are, and at most. */
type Border = { key: string; least: number; most: number }

/**
 * The children that contain the entries `offset` to `offset + count - 1` of all lists together: few of each
 * list, since a border of one is inside of at most one child of another. Order keys must be ASCII.
 */
export function windowOf(lists: Bounded[][], offset: number, count: number): Window {
  const borders = bordersOf(lists.flat())
  const above = borders.findLast(({ most }) => most <= offset)
  const below = borders.find(({ least }) => least >= offset + count)
  const isInside = ({ from, until }: Bounded) =>
    (!above || from < above.key) && (!below || until === '' || until > below.key)
  return {
    lists: lists.map(children => children.filter(isInside)),
    skip: offset - (above?.least ?? 0),
    top: above?.key,
  }
}

/** From the highest key down. */
function bordersOf(children: Bounded[]): Border[] {
  const starting = countsBy(children, 'from')
  const ending = countsBy(children, 'until')
  let least = 0
  let most = ending.get('') ?? 0
  return [...new Set([...starting.keys(), ...ending.keys()])]
    .filter(key => key !== '')
    .sort()
    .reverse()
    .map(key => {
      least += starting.get(key) ?? 0
      const border = { key, least, most }
      most += ending.get(key) ?? 0
      return border
    })
}

function countsBy(children: Bounded[], end: 'from' | 'until'): Map<string, number> {
  const counts = new Map<string, number>()
  for (const child of children) counts.set(child[end], (counts.get(child[end]) ?? 0) + child.count)
  return counts
}
