// Text that hardly compresses. It is one word, so that whoever indexes it has little to do.
import { randomBytes } from 'node:crypto'

export function noise(characters: number): string {
  return randomBytes(Math.ceil((characters * 3) / 4))
    .toString('base64')
    .replace(/[+/=]/g, 'x')
    .slice(0, characters)
}
