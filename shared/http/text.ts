// Schemas of texts in requests: well-formed Unicode, lengths in code points, clear messages.
import * as z from 'zod/mini'
import { normalize } from './normalize.ts'

/** Lengths count Unicode code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** 1,200. Not by toLocaleString: its data takes a tenth of the time in which a function starts. */
export function withCommas(whole: number): string {
  return String(whole).replace(/\B(?=(\d{3})+$)/g, ',')
}

export const NOT_UTF8 = 'Must be well-formed UTF-8.'

/** Lone surrogates are refused, because UTF-8 cannot store them. */
export const wellFormed = z
  .string({ error: ({ input }) => (input === undefined ? 'Is required.' : 'Must be a string.') })
  .check(z.refine(text => text.isWellFormed(), NOT_UTF8))

/** Undefined if it is nested too deeply to be written. */
export function compactJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

export function trimmed(text: string): string {
  return text.trim()
}

/** Trimmed, and short enough for checks that take longer with the length. */
export function trimmedText(max: number, message = tooLong(max)) {
  return z.pipe(wellFormed, z.transform(trimmed)).check(z.refine(text => isAtMost(text, max), message))
}

/** Line ends, tabs and control characters would break lists, mail headers and terminals. */
function isLine(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text)
}

const NOT_A_LINE = 'Must be one line, without tabs and other control characters.'

/** Text as given, such as HTML: not trimmed. */
export const Text = wellFormed

/** A code point has at most two UTF-16 units, so a long text is refused without counting. */
export function isAtMost(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && codePoints(text) <= max)
}

function tooLong(max: number): string {
  return `Must be at most ${max} characters.`
}

function atMost(max: number) {
  return z.refine<string>(text => isAtMost(text, max), tooLong(max))
}

const isGiven = z.refine<string>(text => text !== '', 'Is required.')

/** At most `max` code points of the beginning, cut between grapheme clusters: no part of an emoji. */
export function beginningOf(text: string, max: number): string {
  const characters = Array.from(text.slice(0, 2 * max + 2)).slice(0, max + 1)
  if (characters.length <= max) return text
  const cut = characters.slice(0, max).join('').length
  const cluster = new Intl.Segmenter().segment(characters.join('')).containing(cut)
  return text.slice(0, cluster?.index ?? cut)
}

/** One line, trimmed, without control characters. An empty one counts as missing. */
export function requiredLine(max: number) {
  return z
    .pipe(wellFormed, z.transform(trimmed))
    .check(
      isGiven,
      atMost(max),
      z.refine(isLine, NOT_A_LINE),
      z.meta({ minLength: 1, maxLength: max, pattern: FULL_LINE_PATTERN }),
    )
}

/** Text of any number of lines, as given. White space counts as text. */
export function requiredText(max: number) {
  return wellFormed.check(isGiven, atMost(max), z.meta({ minLength: 1, maxLength: max }))
}

/** Text of any number of lines, as given. It may be empty. */
export function optionalText(max: number) {
  return wellFormed.check(atMost(max), z.meta({ maxLength: max }))
}

/** One line that may be empty. Null becomes empty. */
export function optionalLine(max: number) {
  return emptiable(trimmedText(max).check(z.refine(isLine, NOT_A_LINE)), {
    maxLength: max,
    pattern: LINE_PATTERN,
  })
}

/** A short text of any number of lines, trimmed, that may be empty. Null becomes empty. */
export function optionalWords(max: number) {
  return emptiable(trimmedText(max), { maxLength: max })
}

function emptiable(text: ReturnType<typeof trimmedText>, meta: { maxLength: number; pattern?: string }) {
  return z
    .pipe(
      z.nullable(text),
      z.transform(text => text ?? ''),
    )
    .check(z.meta(meta))
}

/** Refuses what URL parsers forgive: a slash too few or too many, white space and control characters. */
const COMPLETE = /^https?:\/\/(?![/\\])[^\s\p{Cc}]+$/iu

export function isHttpUrl(text: string): boolean {
  return COMPLETE.test(text) && URL.canParse(text)
}

/** `maxLength` applies to the text and to its normalised form. */
function parsedUrl(text: string, maxLength: number): URL | undefined {
  const url = text.length <= maxLength && isHttpUrl(text) ? URL.parse(text) : null
  return url && url.href.length <= maxLength ? url : undefined
}

/** An absolute http(s) URL, trimmed. */
export function httpUrl(maxLength: number) {
  return z.pipe(wellFormed, z.transform(trimmed)).check(
    z.refine(
      text => parsedUrl(text, maxLength) !== undefined,
      `Must be an absolute http or https URL of at most ${maxLength} characters.`,
    ),
    z.meta({ type: 'string', maxLength, pattern: URL_PATTERN }),
  )
}

/** An absolute http(s) URL without user info, as parsers write it: ASCII without control characters. */
export function cleanUrl(maxLength: number) {
  return z
    .pipe(
      wellFormed,
      z.transform((text, context) => {
        const url = parsedUrl(text.trim(), maxLength)
        if (url?.username === '' && url.password === '') return url.href
        const message = `Must be an absolute http or https URL of at most ${maxLength} characters, without user info.`
        context.issues.push({ code: 'custom', input: text, message })
        return z.NEVER
      }),
    )
    .check(z.meta({ type: 'string', maxLength, pattern: URL_PATTERN }))
}

/**
 * The blocks of combining diacritical marks, and variation selectors. Vowel signs of other scripts are not in
 * them, because they belong to their letters.
 */
const DIACRITICS =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u{e0100}-\u{e01ef}]/gu

export function withoutDiacritics(text: string): string {
  return normalize(text, 'NFKD').replace(DIACRITICS, '')
}

/** In lower case, without diacritics. */
export function folded(text: string): string {
  return normalize(withoutDiacritics(text).toLowerCase(), 'NFKC')
}

// The patterns of the document: a text that matches is accepted, so clients can check before they send. They
// may be stricter than the service, as a regular expression knows neither Punycode nor NFC.

/** Control characters and line ends, for use in a class. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029'
/** White space that trimming removes, for use in a class. */
const SPACE = '\\s\\x1c-\\x1f\\x85\\ufeff'

/** A line that may be empty. */
export const LINE_PATTERN = `^[^${CONTROL}]*$`
/** A line that is not blank. */
const FULL_LINE_PATTERN = `^[^${CONTROL}]*[^${CONTROL}${SPACE}][^${CONTROL}]*$`
/** A text of any number of lines that is not blank. */
export const FULL_TEXT_PATTERN = `[^${SPACE}]`
/** A text of at least two characters after trimming. */
export const TWO_CHARACTERS_PATTERN = `[^${SPACE}][\\s\\S]*[^${SPACE}]`

export const SLUG_PATTERN = '^(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}\\-_.~]*[\\p{L}\\p{N}\\p{M}])?)?$'

const ATOM = "[A-Za-z0-9_!#$%&'*+/=?^`{|}~\\-]+"
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?'
const LAST_LABEL = '[A-Za-z](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])'
/** The part before the `@` has at most 64 characters. */
export const EMAIL_PATTERN = `^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${LAST_LABEL}$`

/** Language, script and region; the service takes any well-formed tag. */
export const LOCALE_PATTERN = '^[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?$'

const PORT = '(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?'
const NAME = '(?:[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\\.)*[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*'
const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const HOST = `(?:${NAME}|(?:${BYTE}\\.){3}${BYTE})`
const ORIGIN = `[Hh][Tt][Tt][Pp][Ss]?://${HOST}${PORT}`
const IN_PATH = 'A-Za-z0-9\\-._~:/@!$&()*+,;=%'
const URL_BODY = `${ORIGIN}(?:[/?#][${IN_PATH}?#]*)?`
/** An http(s) URL whose host is an IPv4 address or an ASCII name. */
const URL_PATTERN = `^${URL_BODY}$`
/** The same without query and fragment. */
export const BASE_URL_PATTERN = `^${ORIGIN}(?:/[${IN_PATH}]*)?$`
/** A URL, `mailto:`, `tel:`, or what begins with `/` (not `//`), `#` or `?`. */
export const LINK_PATTERN = `^(?:/(?:[^/\\\\${CONTROL}][^${CONTROL}]*)?|[#?][^${CONTROL}]*|(?:mailto|tel):[^${CONTROL}${SPACE}][^${CONTROL}]*|${URL_BODY})$`
