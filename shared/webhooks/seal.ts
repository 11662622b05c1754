// How webhook secrets are kept: they must be read back to sign, so they are encrypted, not hashed.
import { type Lock, openBytes, sealBytes } from '../table/sealed.ts'

export type SealingKey = { key: string; keyNumber: number; id: number }
export type OpeningKeys = { keys: ReadonlyMap<number, string>; id: number }

/**
 * `<key number>.<base64url of nonce, ciphertext and tag>`. The subscription's id is authenticated with it, so that
 * a sealed text copied to another subscription does not open.
 */
export function seal(secret: string, { key, keyNumber, id }: SealingKey): string {
  const sealed = sealBytes(Buffer.from(secret), lockOf(key, keyNumber, id))
  return `${keyNumber}.${Buffer.from(sealed).toString('base64url')}`
}

/** Opens with the key whose number the text carries; throws where that key is missing or does not fit. */
export function unseal(sealed: string, { keys, id }: OpeningKeys): string {
  const [, number, text] = /^(\d+)\.([\w-]+)$/.exec(sealed) ?? []
  if (number === undefined || text === undefined) {
    throw new Error(`The sealed secret of webhook ${id} is damaged.`)
  }

  const keyNumber = Number(number)
  const key = keys.get(keyNumber)
  if (key === undefined) {
    throw new Error(
      `The secret of webhook ${id} was sealed with key ${keyNumber}, which is not configured: put that key back.`,
    )
  }
  try {
    const opened = openBytes(Buffer.from(text, 'base64url'), lockOf(key, keyNumber, id))
    return Buffer.from(opened).toString('utf8')
  } catch (cause) {
    throw new Error(
      `The secret of webhook ${id} does not open with key ${keyNumber}: the key is another one than it was sealed ` +
        'with, or the stored text was altered.',
      { cause },
    )
  }
}

function lockOf(key: string, keyNumber: number, id: number): Lock {
  return { key, use: 'webhook secret at rest', place: `webhook ${id} key ${keyNumber}` }
}
