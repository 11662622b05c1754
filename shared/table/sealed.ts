// Bytes at rest that only the holder of a key can read: encrypted and authenticated.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Lock = {
  key: string
  /** What is sealed: the same configured key for another use is another key. */
  use: string
  /** Where it belongs: copied to another place, it does not open. */
  place: string
}

/** Nonce, ciphertext and tag, one after the other. */
export function sealBytes(plain: Uint8Array, { key, use, place }: Lock): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, derivedKey(key, use), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Throws where any of key, use and place is another one, or a byte was altered. */
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
