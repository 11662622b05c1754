// Repeatable random choices: the same seed and number give the same choices on every machine.
export type Random = { next(): number; below(n: number): number }

/** A generator for one number under a seed: each of many things can be generated without the others. */
export function randomOf(seed: number, n: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b)) >>> 0
  /** mulberry32 by Tommy Ettinger, public domain. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, below: n => Math.floor(next() * n) }
}
