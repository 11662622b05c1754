// Makes scrypt cheap for all tests of this process, and notes what the stored cost would have cost.
import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type HashCallback = (error: Error | null, hash: Buffer) => void

/** The calls of scrypt, and the sum of N·r·p of their options. */
export const hashing = { count: 0, cost: 0 }
const { scrypt } = crypto

function cheapScrypt(
  password: Uint8Array,
  salt: Buffer,
  length: number,
  cost: ScryptOptions,
  done: HashCallback,
) {
  hashing.count++
  hashing.cost += (cost.N ?? 0) * (cost.r ?? 0) * (cost.p ?? 0)
  scrypt(password, salt, length, { ...cost, N: 2 }, done)
}

function replaceScrypt(by: unknown): void {
  Object.assign(crypto, { scrypt: by })
  syncBuiltinESMExports()
}

export function useRealScrypt(): void {
  replaceScrypt(scrypt)
}

export function useCheapScrypt(): void {
  replaceScrypt(cheapScrypt)
}

useCheapScrypt()
