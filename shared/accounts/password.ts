// Passwords: scrypt, its parameters in the stored value, so that they can rise later.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** 128 MiB and about a quarter of a second on a whole vCPU: N 2^17, r 8, p 1 (OWASP's first choice for scrypt). */
const COST = { N: 2 ** 17, r: 8, p: 1 }
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
const HASH_BYTES = 32

/** `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether the password is the stored one. Without a stored one it takes the same time and says no. */
export const verifyPassword = async (password: string, stored: string | undefined): Promise<boolean> => {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? (await nobodys())).split('$')
  const expected = Buffer.from(hash, 'base64url')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const given = await derive(password, Buffer.from(salt, 'base64url'), cost)
  return timingSafeEqual(given, expected) && stored !== undefined
}

/** Same cost as a real one, no password behind it. */
const nobodys = async (): Promise<string> => {
  const salt = randomBytes(16).toString('base64url')
  return ['scrypt', COST.N, COST.r, COST.p, salt, randomBytes(HASH_BYTES).toString('base64url')].join('$')
}

const derive = (password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(
      password.normalize('NFKC'),
      salt,
      HASH_BYTES,
      { ...cost, maxmem: MAX_MEMORY_BYTES },
      (error, hash) => (error ? reject(error) : resolve(hash)),
    )
  })
