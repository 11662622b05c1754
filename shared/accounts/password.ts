// Hashes and verifies passwords with scrypt: memory-hard, and part of Node long before argon2 (24.7).
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { normalize } from '../http/normalize.ts'
import { isAtMost } from '../http/text.ts'
import { LONGEST_PASSWORD } from './fields.ts'

/** OWASP's first choice: 128 MiB, about 250 ms on a full vCPU (1,769 MB of Lambda). Raise only N. */
const COST = { N: 2 ** 17, r: 8, p: 1 }
type Cost = typeof COST
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
const HASH_BYTES = 32
const SALT_BYTES = 16

/** Returns `scrypt$N$r$p$salt$hash`, the last two in base64url: stored costs allow a later increase. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return formatHash(COST, salt, await derive(password, salt, COST))
}

/** Takes the same time without a stored hash, and for a text that is too long. */
export async function verifyPassword(text: string, storedHash: string | undefined): Promise<boolean> {
  const isPassword = isAtMost(text, LONGEST_PASSWORD)
  const password = isPassword ? text : ''
  const { cost, salt, hash } = parseHash(storedHash ?? dummyHash())
  const derived = await derive(password, salt, cost)
  return timingSafeEqual(derived, hash) && storedHash !== undefined && isPassword
}

const HASH = new RegExp(`^scrypt\\$${COST.N}\\$${COST.r}\\$${COST.p}\\$[\\w-]{22}\\$[\\w-]{43}$`)

/** Whether the text is a hash of today's cost. */
export function isPasswordHash(text: string): boolean {
  return HASH.test(text)
}

/** Costs as much to verify as a real hash, but no password matches it. */
function dummyHash(): string {
  return formatHash(COST, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
}

function formatHash({ N, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

function parseHash(storedHash: string): { cost: Cost; salt: Buffer; hash: Buffer } {
  const [, N, r, p, salt = '', hash = ''] = storedHash.split('$')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
}

function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: MAX_MEMORY_BYTES }
    // HMAC ignores zeros at the end of its key, so they become a byte that no text has in UTF-8.
    const bytes = Buffer.from(normalize(password, 'NFKC')).map(byte => byte || 0xff)
    scrypt(bytes, salt, HASH_BYTES, options, (error, hash) => (error ? reject(error) : resolve(hash)))
  })
}
