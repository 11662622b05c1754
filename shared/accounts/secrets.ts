// The text of bearer tokens, and the hash of their secret, which is all that is stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const PREFIX = 'hcs'
const TOKEN = /^hcs_([1-9]\d{0,14})_([1-9]\d{0,14})_([\w-]{43})$/

/** 32 random bytes as 43 characters. */
export function newTokenSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The token as its owner sees it. It contains both ids, so that one read fetches user and token. */
export function tokenText(userId: number, tokenId: number, secret: string): string {
  return `${PREFIX}_${userId}_${tokenId}_${secret}`
}

export function parseToken(text: string): { userId: number; tokenId: number; secret: string } | undefined {
  const [, userId, tokenId, secret] = TOKEN.exec(text) ?? []
  return secret === undefined ? undefined : { userId: Number(userId), tokenId: Number(tokenId), secret }
}

/** The secret is long and random, so an unsalted fast hash is enough. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

export function verifySecret(secret: string, storedHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret), 'hex'), Buffer.from(storedHash, 'hex'))
}
