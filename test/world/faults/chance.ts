// Reproducible random numbers: the same seed and name give the same number.

/** At least 0, below 1. FNV-1a over the name, then the finalizer of MurmurHash3 to spread similar names. */
export function chance(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed
  for (let n = 0; n < name.length; n++) hash = Math.imul(hash ^ name.charCodeAt(n), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
