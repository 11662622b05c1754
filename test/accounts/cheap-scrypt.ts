// Replaces scrypt by a cheap hash, whatever cost is stored, and records what scrypt would have cost.
import type { ScryptOptions } from 'node:crypto'

/** The calls of scrypt, and the sum of N·r·p of their options. */
export const hashing = { count: 0, cost: 0 }

type HashCallback = (error: Error | null, hash: Buffer) => void

/** For `vi.mock('node:crypto', …)`. */
export function withCheapScrypt(crypto: typeof import('node:crypto')) {
  const scrypt = (
    password: string,
    salt: Buffer,
    length: number,
    cost: ScryptOptions,
    done: HashCallback,
  ) => {
    hashing.count++
    hashing.cost += (cost.N ?? 0) * (cost.r ?? 0) * (cost.p ?? 0)
    crypto.scrypt(password, salt, length, { ...cost, N: 2 }, done)
  }
  return { ...crypto, scrypt }
}
