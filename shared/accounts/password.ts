// Passwords: scrypt, its parameters in the stored value, so that they can rise later.
//
// scrypt, because it needs memory as well as time, which makes guessing by many cheap cores dear, and because Node
// has always had it (argon2 came with 24.7). The parameters are OWASP's first choice for it (Password Storage Cheat
// Sheet): 128 MiB and about a quarter of a second on the whole vCPU that 1,769 MB of Lambda are.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { normalize } from '../http/normalize.ts'
import { isAtMost } from '../http/text.ts'
import { LONGEST_PASSWORD } from './fields.ts'

/** Only N may rise: a hash of the past is brought up to today's cost by further ones of half, a quarter … of it. */
const COST = { N: 2 ** 17, r: 8, p: 1 }
type Cost = typeof COST
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
const HASH_BYTES = 32
const SALT_BYTES = 16

/** `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return formatHash(COST, salt, await derive(password, salt, COST))
}

/**
 * Whether the password is the stored one. Without a stored one, with a cheaper one, or for a text that is too long to
 * be a password it takes the same time.
 */
export async function verifyPassword(text: string, storedHash: string | undefined): Promise<boolean> {
  const isPassword = isAtMost(text, LONGEST_PASSWORD)
  const password = isPassword ? text : ''
  const { cost, salt, hash } = parseHash(storedHash ?? dummyHash())
  const given = await derive(password, salt, cost)
  for (let { N } = cost; N < COST.N; N *= 2) await derive(password, salt, { ...COST, N })
  return timingSafeEqual(given, hash) && storedHash !== undefined && isPassword
}

/** Whether it was kept at less than today's cost: whoever has the password in hand hashes it anew. */
export function isOutdated(storedHash: string): boolean {
  return parseHash(storedHash).cost.N < COST.N
}

/** Same cost as a real one, no password behind it. */
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
    scrypt(normalize(password, 'NFKC'), salt, HASH_BYTES, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
}
