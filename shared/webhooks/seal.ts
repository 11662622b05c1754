// Encrypts webhook secrets for the table. Hashing is not enough, since each delivery is signed with the
// secret.
import { type Lock, openBytes, sealBytes } from '../table/sealed.ts'

export type SealingKey = { key: string; keyNumber: number; id: number }
export type OpeningKeys = { keys: ReadonlyMap<number, string>; id: number }

/**
 * Returns `<key number>.<base64url of nonce, ciphertext and tag>`. The id is authenticated as well, so that a
 * sealed text cannot be copied to another subscription.
 */
export function seal(secret: string, { key, keyNumber, id }: SealingKey): string {
  const sealed = sealBytes(Buffer.from(secret), lockOf(key, keyNumber, id))
  return `${keyNumber}.${Buffer.from(sealed).toString('base64url')}`
}

/** Decrypts with the key whose number is in the text. Throws if that key is missing or wrong. */
export function unseal(sealed: string, { keys, id }: OpeningKeys): string {
  const [, number, text] = SEALED.exec(sealed) ?? []
  if (number === undefined || text === undefined) {
    throw new Error(`The sealed secret of webhook ${id} is damaged.`)
  }

  const keyNumber = Number(number)
  const key = keys.get(keyNumber)
  if (key === undefined) {
    throw new Error(
      `The secret of webhook ${id} was sealed with key ${keyNumber}, which is not configured. Restore that key.`,
    )
  }
  try {
    const opened = openBytes(Buffer.from(text, 'base64url'), lockOf(key, keyNumber, id))
    return Buffer.from(opened).toString('utf8')
  } catch (cause) {
    throw new Error(
      `The secret of webhook ${id} cannot be decrypted with key ${keyNumber}: it was sealed with another key, or ` +
        'the stored text was changed.',
      { cause },
    )
  }
}

const SEALED = /^(\d+)\.([\w-]+)$/

/** The number of the key that sealed the text. */
export function keyNumberOf(sealed: string): number {
  return Number(SEALED.exec(sealed)?.[1])
}

function lockOf(key: string, keyNumber: number, id: number): Lock {
  return { key, use: 'webhook secret at rest', place: `webhook ${id} key ${keyNumber}` }
}
