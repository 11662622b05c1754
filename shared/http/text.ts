// Texts that come in: well-formed Unicode, lengths in code points, clear words for what is wrong.
import * as z from 'zod/mini'
import { normalize } from './normalize.ts'
import { EMAIL_PATTERN, FULL_LINE_PATTERN, LINE_PATTERN, URL_PATTERN } from './patterns.ts'

/** Lengths count Unicode code points, not UTF-16 units. */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A lone surrogate would not survive UTF-8. */
const wellFormed = z
  .string({ error: ({ input }) => (input === undefined ? 'Is required.' : 'Must be a string.') })
  .check(z.refine(text => text.isWellFormed(), 'Must be well-formed Unicode.'))

const trimmed = (text: string): string => text.trim()

/** Trimmed, and of a length that whatever comes next may work on. */
export const trimmedText = (max: number, message: string) =>
  z.pipe(wellFormed, z.transform(trimmed)).check(z.refine(text => isAtMost(text, max), message))

/** Ends of lines, tabs and what else is no character of a line: it would break lists, headers of mails, terminals. */
const isLine = (text: string): boolean => !/[\p{Cc}\u2028\u2029]/u.test(text)
const NOT_A_LINE = 'Must be one line, without tabs and other control characters.'

/** Text as given, e.g. HTML: never trimmed. */
export const Text = wellFormed

/** A text of more than twice as many UTF-16 units is too long, whatever is in it. */
export const isAtMost = (text: string, max: number): boolean =>
  text.length <= 2 * max && codePoints(text) <= max

export const atMost = (max: number) => ({
  check: (text: string) => isAtMost(text, max),
  message: `Must be at most ${max} characters.`,
})

/** Text of one line: trimmed, no control characters within; empty counts as missing. */
export const requiredLine = (max: number) => {
  const { check, message } = atMost(max)
  return z.pipe(wellFormed, z.transform(trimmed)).check(
    z.refine(text => text !== '', 'Is required.'),
    z.refine(check, message),
    z.refine(isLine, NOT_A_LINE),
    z.meta({ minLength: 1, maxLength: max, pattern: FULL_LINE_PATTERN }),
  )
}

/** Text of any number of lines, as given: white space is text, too. */
export const requiredText = (max: number) => {
  const { check, message } = atMost(max)
  return wellFormed.check(
    z.refine(text => text !== '', 'Is required.'),
    z.refine(check, message),
    z.meta({ minLength: 1, maxLength: max }),
  )
}

/** Text of any number of lines, as given, or empty. */
export const optionalText = (max: number) => {
  const { check, message } = atMost(max)
  return wellFormed.check(z.refine(check, message), z.meta({ maxLength: max }))
}

/** Text of one line that may be empty; null sets it back to empty. */
export const optionalLine = (max: number) =>
  emptiable(shortText(max).check(z.refine(isLine, NOT_A_LINE)), { maxLength: max, pattern: LINE_PATTERN })

/** A few words that may stand on lines of their own, trimmed; null sets it back to empty. */
export const optionalWords = (max: number) => emptiable(shortText(max), { maxLength: max })

const shortText = (max: number) => {
  const { check, message } = atMost(max)
  return z.pipe(wellFormed, z.transform(trimmed)).check(z.refine(check, message))
}

const emptiable = (text: ReturnType<typeof shortText>, meta: { maxLength: number; pattern?: string }) =>
  z
    .pipe(
      z.nullable(text),
      z.transform(text => text ?? ''),
    )
    .check(z.meta(meta))

const LONGEST_ADDRESS = 254
const LONGEST_LOCAL_PART = 64
/** Dot-atom of RFC 5322, then labels of RFC 1123, at least two and the last not a number: what mail can reach. */
const ADDRESS =
  /^([\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/i

const isAddress = (text: string): boolean => {
  const [, localPart] = (text.length <= LONGEST_ADDRESS && ADDRESS.exec(text)) || []
  return localPart !== undefined && localPart.length <= LONGEST_LOCAL_PART
}

/** An e-mail address, trimmed, else kept as given. */
export const emailAddress = z.pipe(wellFormed, z.transform(trimmed)).check(
  z.refine(text => text !== '', 'Is required.'),
  z.refine(
    text => text === '' || isAddress(text),
    `Must be a valid e-mail address of at most ${LONGEST_ADDRESS} characters.`,
  ),
  z.meta({ format: 'email', maxLength: LONGEST_ADDRESS, pattern: EMAIL_PATTERN }),
)

/** What parsers of URLs forgive and others do not: a missing slash, white space and control characters within. */
const COMPLETE = /^https?:\/\/[^\s\p{Cc}]+$/iu

export const isHttpUrl = (text: string): boolean => COMPLETE.test(text) && URL.canParse(text)

/** An absolute http(s) URL, trimmed, else kept as given. `maxLength` holds for it and its normalised form. */
export const httpUrl = (maxLength: number) =>
  z.pipe(wellFormed, z.transform(trimmed)).check(
    z.refine(
      text =>
        text.length <= maxLength &&
        isHttpUrl(text) &&
        (URL.parse(text)?.href.length ?? Infinity) <= maxLength,
      `Must be an absolute http or https URL of at most ${maxLength} characters.`,
    ),
    z.meta({ type: 'string', maxLength, pattern: URL_PATTERN }),
  )

/** The URL as parsers of URLs write it: in ASCII, without control characters. */
const cleaned = (text: string, maxLength: number): string | undefined => {
  const url = text.length <= maxLength && isHttpUrl(text) ? URL.parse(text) : null
  const isClean = url?.username === '' && url.password === '' && url.href.length <= maxLength
  return isClean ? url.href : undefined
}

/** An absolute http(s) URL without user info, in its clean form. `maxLength` holds for what came and for that form. */
export const cleanUrl = (maxLength: number) =>
  z
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

/**
 * The blocks of combining diacritical marks, and variation selectors, which only choose a picture. The vowel
 * signs of other scripts are letters' own.
 */
const DIACRITICS =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u{e0100}-\u{e01ef}]/gu

export const withoutDiacritics = (text: string): string => normalize(text, 'NFKD').replace(DIACRITICS, '')

/** Lower case without diacritics. */
export const folded = (text: string): string => normalize(withoutDiacritics(text).toLowerCase(), 'NFKC')
