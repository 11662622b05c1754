// Encrypts and authenticates with a key: stored bytes, and values that a client keeps as opaque texts.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { currentKey, FIRST_KEY_ID, findKey } from '../aws/secret-value.ts'

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
export function sealBytes(plain: Uint8Array, lock: Lock, nonce = randomBytes(NONCE_BYTES)) {
  const { key, use, place } = lock
  const cipher = createCipheriv(ALGORITHM, derivedKey(key, use), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Equal bytes give an equal result, so that an answer with them keeps its ETag. */
export function sealBytesEqually(plain: Uint8Array, lock: Lock) {
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

/** Where a sealed text is valid. `secret`: the value of a secret, of which the current key seals. */
export type TextLock = Omit<Lock, 'key'> & { secret: string }

/** Any JSON as an opaque text for a URL or a header. `seal`: `sealBytesEqually`, or a new text each time. */
export function sealText(value: unknown, { secret, use, place }: TextLock, seal = sealBytes): string {
  const { id, key } = currentKey(secret)
  const plain = Buffer.from(JSON.stringify(value))
  const sealed = Buffer.from(seal(plain, { key, use, place })).toString('base64url')
  return id === FIRST_KEY_ID ? sealed : `${id}.${sealed}`
}

const TEXT = /^(?:([1-9]\d{0,5})\.)?([\w-]*)$/

/** The number of the key that a text names, which may be forged. */
export function keyIdOf(text: string): number {
  return Number(TEXT.exec(text)?.[1] ?? FIRST_KEY_ID)
}

/** The sealed value; undefined, which is no JSON, if the text was not sealed for this use and place. */
export function openText(text: string, { secret, use, place }: TextLock): unknown {
  const [, , sealed = ''] = TEXT.exec(text) ?? []
  const key = findKey(secret, keyIdOf(text))
  const bytes = Buffer.from(sealed, 'base64url')
  if (key === undefined || bytes.toString('base64url') !== sealed) return undefined
  try {
    return JSON.parse(Buffer.from(openBytes(bytes, { key, use, place })).toString('utf8'))
  } catch {
    return undefined
  }
}

function derivedKey(key: string, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', use, 32))
}
