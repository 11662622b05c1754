// Random text that hardly compresses. It is a single word, so that indexing it is quick.
import { randomBytes } from 'node:crypto'

export function noise(characters: number): string {
  return randomBytes(Math.ceil((characters * 3) / 4))
    .toString('base64')
    .replace(/[+/=]/g, 'x')
    .slice(0, characters)
}
