// Texts that come in: well-formed Unicode, lengths in code points, clear words for what is wrong.
import * as z from 'zod/mini'
import { normalize } from './normalize.ts'
import { FULL_LINE_PATTERN, LINE_PATTERN, URL_PATTERN } from './patterns.ts'

/** Lengths count Unicode code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A lone surrogate would not survive UTF-8. */
export const wellFormed = z
  .string({ error: ({ input }) => (input === undefined ? 'Is required.' : 'Must be a string.') })
  .check(z.refine(text => text.isWellFormed(), 'Must be well-formed Unicode.'))

export function trimmed(text: string): string {
  return text.trim()
}

/** Trimmed, and of a length that whatever comes next may work on. */
export function trimmedText(max: number, message: string) {
  return z.pipe(wellFormed, z.transform(trimmed)).check(z.refine(text => isAtMost(text, max), message))
}

/** Ends of lines, tabs and what else is no character of a line: it would break lists, headers of mails, terminals. */
function isLine(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text)
}

const NOT_A_LINE = 'Must be one line, without tabs and other control characters.'

/** Text as given, e.g. HTML: never trimmed. */
export const Text = wellFormed

/** A text of more than twice as many UTF-16 units is too long, whatever is in it. */
export function isAtMost(text: string, max: number): boolean {
  return text.length <= 2 * max && codePoints(text) <= max
}

export function atMost(max: number) {
  return {
    check: (text: string) => isAtMost(text, max),
    message: `Must be at most ${max} characters.`,
  }
}

/** Text of one line: trimmed, no control characters within; empty counts as missing. */
export function requiredLine(max: number) {
  const { check, message } = atMost(max)
  return z.pipe(wellFormed, z.transform(trimmed)).check(
    z.refine(text => text !== '', 'Is required.'),
    z.refine(check, message),
    z.refine(isLine, NOT_A_LINE),
    z.meta({ minLength: 1, maxLength: max, pattern: FULL_LINE_PATTERN }),
  )
}

/** Text of any number of lines, as given: white space is text, too. */
export function requiredText(max: number) {
  const { check, message } = atMost(max)
  return wellFormed.check(
    z.refine(text => text !== '', 'Is required.'),
    z.refine(check, message),
    z.meta({ minLength: 1, maxLength: max }),
  )
}

/** Text of any number of lines, as given, or empty. */
export function optionalText(max: number) {
  const { check, message } = atMost(max)
  return wellFormed.check(z.refine(check, message), z.meta({ maxLength: max }))
}

/** Text of one line that may be empty; null sets it back to empty. */
export function optionalLine(max: number) {
  return emptiable(shortText(max).check(z.refine(isLine, NOT_A_LINE)), {
    maxLength: max,
    pattern: LINE_PATTERN,
  })
}

/** A few words that may stand on lines of their own, trimmed; null sets it back to empty. */
export function optionalWords(max: number) {
  return emptiable(shortText(max), { maxLength: max })
}

function shortText(max: number) {
  const { check, message } = atMost(max)
  return z.pipe(wellFormed, z.transform(trimmed)).check(z.refine(check, message))
}

function emptiable(text: ReturnType<typeof shortText>, meta: { maxLength: number; pattern?: string }) {
  return z
    .pipe(
      z.nullable(text),
      z.transform(text => text ?? ''),
    )
    .check(z.meta(meta))
}

/** What parsers of URLs forgive and others do not: a missing slash, white space and control characters within. */
const COMPLETE = /^https?:\/\/[^\s\p{Cc}]+$/iu

export function isHttpUrl(text: string): boolean {
  return COMPLETE.test(text) && URL.canParse(text)
}

/** An absolute http(s) URL, trimmed, else kept as given. `maxLength` holds for it and its normalised form. */
export function httpUrl(maxLength: number) {
  return z.pipe(wellFormed, z.transform(trimmed)).check(
    z.refine(
      text =>
        text.length <= maxLength &&
        isHttpUrl(text) &&
        (URL.parse(text)?.href.length ?? Infinity) <= maxLength,
      `Must be an absolute http or https URL of at most ${maxLength} characters.`,
    ),
    z.meta({ type: 'string', maxLength, pattern: URL_PATTERN }),
  )
}

/** The URL as parsers of URLs write it: in ASCII, without control characters. */
function cleaned(text: string, maxLength: number): string | undefined {
  const url = text.length <= maxLength && isHttpUrl(text) ? URL.parse(text) : null
  const isClean = url?.username === '' && url.password === '' && url.href.length <= maxLength
  return isClean ? url.href : undefined
}

/** An absolute http(s) URL without user info, in its clean form. `maxLength` holds for what came and for that form. */
export function cleanUrl(maxLength: number) {
  return z
    .pipe(
      wellFormed,
      z.transform((text, context) => {
        const url = cleaned(text.trim(), maxLength)
        if (url !== undefined) return url
        const message = `Must be an absolute http or https URL of at most ${maxLength} characters, without user info.`
        context.issues.push({ code: 'custom', input: text, message })
        return z.NEVER
      }),
    )
    .check(z.meta({ type: 'string', maxLength, pattern: URL_PATTERN }))
}

/**
 * The blocks of combining diacritical marks, and variation selectors, which only choose a picture. The vowel
 * signs of other scripts are letters' own.
 */
const DIACRITICS =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u{e0100}-\u{e01ef}]/gu

export function withoutDiacritics(text: string): string {
  return normalize(text, 'NFKD').replace(DIACRITICS, '')
}

/** Lower case without diacritics. */
export function folded(text: string): string {
  return normalize(withoutDiacritics(text).toLowerCase(), 'NFKC')
}
