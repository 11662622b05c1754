// Writes documents of new posts, and generates texts that hardly compress.

import type { SearchDocument } from '../../shared/search/document.ts'
import { packDoc, replaceDoc } from '../../shared/search/index-actions.ts'
import type { Table } from '../../shared/table/client.ts'
import { randomOf } from '../bench/random.ts'

/** With their markers, many at once. `writtenMs`: of the first; each other is one millisecond later. */
export async function putDocuments(table: Table, docs: SearchDocument[], writtenMs = 0): Promise<void> {
  const actions = await Promise.all(
    docs.map(async (doc, n) => {
      const packed = await packDoc(doc, 1)
      return replaceDoc({ id: doc.id, revision: 1, doc: packed }, undefined, writtenMs + n)
    }),
  )
  await table.putMany(actions.flat().flatMap(action => ('Put' in action ? [action.Put.Item] : [])))
}

function lettersOf(first: number, last: number): string[] {
  const all = Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n))
  return all.filter(letter => /[\p{Ll}\p{Lo}]/u.test(letter) && letter.normalize('NFKD') === letter)
}

const SHORT = lettersOf(0x61, 0x7a)
const LONG = lettersOf(0x80, 0x7ff)
const LETTERS = 40

/**
 * Different words of `bytes` bytes together, in letters of one and of two bytes: compression saves less than
 * a fifth.
 */
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
