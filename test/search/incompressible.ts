// Random words in letters of one and of two bytes: compression saves less than a fifth of them.
import { randomOf } from '../bench/random.ts'

function lettersOf(first: number, last: number): string[] {
  const all = Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n))
  return all.filter(letter => /[\p{Ll}\p{Lo}]/u.test(letter) && letter.normalize('NFKD') === letter)
}

const SHORT = lettersOf(0x61, 0x7a)
const LONG = lettersOf(0x80, 0x7ff)
const LETTERS = 40

/** Different words of `bytes` bytes together. From 125,000 on, one item of the index does not take them. */
export function incompressibleWords(bytes: number): string {
  const random = randomOf(1, 1)
  const letter = () => {
    const letters = random.next() < 0.6 ? SHORT : LONG
    return letters[random.below(letters.length)]
  }
  const words: string[] = []
  for (let length = 0; length < bytes; ) {
    const word = Array.from({ length: LETTERS }, letter).join('')
    words.push(word)
    length += Buffer.byteLength(word) + 1
  }
  return words.join(' ')
}
