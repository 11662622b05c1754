// Encrypts and authenticates stored bytes with a key.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Lock = {
  key: string
  /** What the bytes are for. Each use derives its own key from the configured one. */
  use: string
  /** The item that holds the bytes. They cannot be decrypted after a copy to another item. */
  place: string
}

/** Returns nonce, ciphertext and tag, concatenated. */
export function sealBytes(plain: Uint8Array, lock: Lock, nonce = randomBytes(NONCE_BYTES)): Uint8Array {
  const { key, use, place } = lock
  const cipher = createCipheriv(ALGORITHM, derivedKey(key, use), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Equal bytes give an equal result, so that an answer with them keeps its ETag. */
export function sealBytesEqually(plain: Uint8Array, lock: Lock): Uint8Array {
  const { key, use, place } = lock
  const digest = createHmac('sha256', derivedKey(key, `${use}, nonce`))
    .update(JSON.stringify([place, Buffer.from(plain).toString('base64')]))
    .digest()
  return sealBytes(plain, lock, digest.subarray(0, NONCE_BYTES))
}

/** Throws if key, use or place differ, or if a byte was altered. */
export function openBytes(sealed: Uint8Array, { key, use, place }: Lock): Uint8Array {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, derivedKey(key, use), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

function derivedKey(key: string, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', use, 32))
}
