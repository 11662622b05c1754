// Texts that come in: well-formed Unicode, lengths in code points, clear words for what is wrong.
import { z } from 'zod'

/** Lengths count Unicode code points, not UTF-16 units. */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A lone surrogate would not survive UTF-8. */
const wellFormed = z
  .string({ error: ({ input }) => (input === undefined ? 'Is required.' : 'Must be a string.') })
  .refine(text => text.isWellFormed(), 'Must be well-formed Unicode.')

/** Text as given, e.g. HTML: never trimmed. */
export const Text = wellFormed

const atMost = (max: number) => ({
  check: (text: string) => codePoints(text) <= max,
  message: `Must be at most ${max} characters.`,
})

/** Text of one line: trimmed; empty counts as missing. */
export const requiredLine = (max: number) => {
  const { check, message } = atMost(max)
  return wellFormed
    .transform(trimmed)
    .refine(text => text !== '', 'Is required.')
    .refine(check, message)
}

/** Text of one line that may be empty; null sets it back to empty. */
export const optionalLine = (max: number) => {
  const { check, message } = atMost(max)
  return wellFormed
    .transform(trimmed)
    .refine(check, message)
    .nullable()
    .transform(text => text ?? '')
}

const trimmed = (text: string): string => text.trim()

/** An absolute http(s) URL, kept as given. `maxLength` counts the normalised form. */
export const httpUrl = (maxLength: number) =>
  wellFormed.refine(text => {
    const url = URL.parse(text)
    return (url?.protocol === 'http:' || url?.protocol === 'https:') && url.href.length <= maxLength
  }, `Must be an absolute http or https URL of at most ${maxLength} characters.`)

/** Lower case without diacritics; vowel signs of other scripts are letters' own and stay. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .normalize('NFKC')
