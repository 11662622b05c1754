// The text of a search, and the words in it that are searched for.
import * as z from 'zod/mini'
import { codePoints, TWO_CHARACTERS_PATTERN } from '../http/text.ts'
import { tokenize } from './tokenizer.ts'

const LEAST = 2
const MOST = 200

export const SearchText = z
  .pipe(
    z.string({ error: ({ input }) => (input === undefined ? 'Is required.' : 'Must be a string.') }),
    z.transform(text => text.trim()),
  )
  .check(
    z.refine(
      text => codePoints(text) >= LEAST && codePoints(text) <= MOST,
      `Must be ${LEAST} to ${MOST} characters.`,
    ),
    z.meta({ minLength: LEAST, maxLength: MOST, pattern: TWO_CHARACTERS_PATTERN }),
  )

export const SEARCH_TEXT = `Search text of 2 to 200 characters. Every word in it must begin a word of the title, the short
  description or the body. Case, diacritics, the vowel points of Arabic and Hebrew, forms of alef and nuktas do not count. \`C++\`,
  \`C#\`, \`2.0.1\` and \`R&D\` are words (send them encoded: \`C%2B%2B\`), other single characters are left out. In scripts without
  spaces any two neighbouring characters are a word. A search of more than ten words needs one that is in few posts, else it is a 422.`

/** Single characters are ignored: half of all posts contain a word that begins with each of them. */
export function queryWords(text: string): string[] {
  return tokenize(text).filter(word => codePoints(word) >= LEAST)
}

/** Whether each word is the beginning of an indexed word. */
export function matchesAllWords(indexed: string[], words: string[]): boolean {
  return words.every(word => indexed.some(candidate => candidate.startsWith(word)))
}
