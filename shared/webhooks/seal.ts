// How webhook secrets are kept: they must be read back to sign, so they are encrypted, not hashed.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export type SealingKey = { key: string; keyNumber: number; id: number }
export type OpeningKeys = { keys: ReadonlyMap<number, string>; id: number }

/**
 * `<key number>.<base64url of nonce, ciphertext and tag>`. The subscription's id is authenticated with it, so that
 * a sealed text copied to another subscription does not open.
 */
export function seal(secret: string, { key, keyNumber, id }: SealingKey): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, deriveKey(key), nonce, { authTagLength: tagBytes })
  cipher.setAAD(associatedData(keyNumber, id))
  const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${keyNumber}.${sealed.toString('base64url')}`
}

/** Opens with the key whose number the text carries; throws where that key is missing or does not fit. */
export function unseal(sealed: string, { keys, id }: OpeningKeys): string {
  const [, number, text] = /^(\d+)\.([\w-]+)$/.exec(sealed) ?? []
  if (number === undefined || text === undefined)
    throw new Error(`The sealed secret of webhook ${id} is damaged.`)

  const keyNumber = Number(number)
  const key = keys.get(keyNumber)
  if (key === undefined) {
    throw new Error(
      `The secret of webhook ${id} was sealed with key ${keyNumber}, which is not configured: put that key back.`,
    )
  }
  try {
    return open(Buffer.from(text, 'base64url'), deriveKey(key), associatedData(keyNumber, id))
  } catch (cause) {
    throw new Error(
      `The secret of webhook ${id} does not open with key ${keyNumber}: the key is another one than it was sealed ` +
        'with, or the stored text was altered.',
      { cause },
    )
  }
}

function open(bytes: Buffer, key: Uint8Array, data: Uint8Array): string {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(data)
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
}

/** Bound to this use, so that the same configured key elsewhere would be another key. */
function deriveKey(key: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', 'webhook secret at rest', 32))
}

function associatedData(keyNumber: number, id: number): Uint8Array {
  return Buffer.from(`webhook ${id} key ${keyNumber}`)
}
