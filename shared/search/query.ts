// What is searched for: its text as it may come in, and the words in it that count.
import * as z from 'zod/mini'
import { TWO_CHARACTERS_PATTERN } from '../http/patterns.ts'
import { codePoints } from '../http/text.ts'
import { wordsOf } from './words.ts'

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

/** One character is no word to search by: half of all posts have one that begins so. */
export function searchedWords(text: string): string[] {
  return wordsOf(text).filter(word => codePoints(word) >= LEAST)
}

/** Whether every word begins one of these. */
export function matchesAll(indexed: string[], words: string[]): boolean {
  return words.every(word => indexed.some(one => one.startsWith(word)))
}
