// Encrypts and authenticates with a key: stored bytes, and values that a client keeps as opaque texts.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { currentKey, FIRST_KEY_ID, findKey } from '../aws/secret-value.ts'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Where something sealed is valid. */
export type Lock = {
  /** The value of a secret, of which the current key seals. */
  secret: string
  /** What it is for. Each use derives its own key from the configured one. */
  use: string
  /** The item that holds it. It cannot be opened after a copy to another item. */
  place: string
}

/** Nonce, ciphertext and tag, concatenated, and the number of the key. */
export type Sealed = { key: number; bytes: Uint8Array<ArrayBuffer> }

/** `isEqual`: equal bytes give an equal result, so that an answer with them keeps its ETag. */
export function sealBytes(plain: Uint8Array, lock: Lock, isEqual = false): Sealed {
  const { id, key } = currentKey(lock.secret)
  const nonce = isEqual ? nonceOf(plain, key, lock) : randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, derivedKey(key, lock.use), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(lock.place))
  return { key: id, bytes: Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]) }
}

function nonceOf(plain: Uint8Array, key: string, { use, place }: Lock): Uint8Array {
  const digest = createHmac('sha256', derivedKey(key, `${use}, nonce`))
    .update(JSON.stringify([place, Buffer.from(plain).toString('base64')]))
    .digest()
  return digest.subarray(0, NONCE_BYTES)
}

/** Undefined if the key is not configured, if use or place differ, or if a byte was altered. */
export function openBytes({ key: id, bytes }: Sealed, { secret, use, place }: Lock): Buffer | undefined {
  const key = findKey(secret, id)
  if (key === undefined) return undefined
  const nonce = bytes.subarray(0, NONCE_BYTES)
  try {
    const decipher = createDecipheriv(ALGORITHM, derivedKey(key, use), nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

/** Any JSON as an opaque text for a URL or a header. */
export function sealText(value: unknown, lock: Lock, isEqual = false): string {
  const { key, bytes } = sealBytes(Buffer.from(JSON.stringify(value)), lock, isEqual)
  const sealed = Buffer.from(bytes).toString('base64url')
  return key === FIRST_KEY_ID ? sealed : `${key}.${sealed}`
}

const TEXT = /^(?:([1-9]\d{0,5})\.)?([\w-]*)$/

/** The number of the key that a text names, which may be forged. */
export function keyIdOf(text: string): number {
  return Number(TEXT.exec(text)?.[1] ?? FIRST_KEY_ID)
}

/** The sealed value; undefined, which is no JSON, if the text was not sealed for this use and place. */
export function openText(text: string, lock: Lock): unknown {
  const [, , sealed = ''] = TEXT.exec(text) ?? []
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.toString('base64url') !== sealed) return undefined
  const opened = openBytes({ key: keyIdOf(text), bytes }, lock)
  return opened && JSON.parse(opened.toString())
}

function derivedKey(key: string, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', use, 32))
}
