// Slugs of posts, pages and categories: in any script, stored as given, compared exactly.
import * as z from 'zod/mini'
import { normalize } from '../http/normalize.ts'
import {
  beginningOf,
  codePoints,
  isAtMost,
  SLUG_PATTERN,
  trimmedText,
  withoutDiacritics,
} from '../http/text.ts'

export const LONGEST_SLUG = 200
const FAULT = `Must be 1 to ${LONGEST_SLUG} letters, digits, "-", "_", "." or "~", with a letter or digit at both ends.`
/**
 * Starts with a letter or digit, ends with one or its marks. Compiled on first use, for quick cold starts.
 */
function SLUG() {
  return /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}\-_.~]*[\p{L}\p{N}\p{M}])?$/u
}

/** Whether a record can have this slug. If not, it is not looked up, as it may be too long for a key. */
export function isSlug(text: string): boolean {
  return isAtMost(text, LONGEST_SLUG) && SLUG().test(text)
}

/** Empty counts as missing. */
export const SlugInput = z
  .pipe(
    trimmedText(LONGEST_SLUG, FAULT),
    z.transform(text => normalize(text, 'NFC')),
  )
  .check(
    z.refine(slug => slug === '' || isSlug(slug), FAULT),
    z.meta({ maxLength: LONGEST_SLUG, pattern: SLUG_PATTERN }),
  )

/** A slug in a request, in the normalised form that slugs are stored in. */
export const SlugQuery = z.pipe(
  z.string(),
  z.transform(text => normalize(text, 'NFC')),
)

/** Letters of other scripts than Latin and Greek, with their marks. Compiled on first use. */
function OTHER_SCRIPTS() {
  return /((?:[\p{L}--[\p{scx=Latin}\p{scx=Greek}\p{scx=Common}]][\p{M}--[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]]*)+)/v
}

/**
 * Derives a slug: lower case, Latin and Greek letters without diacritics, other characters become a hyphen.
 * Appends `number` if above 1 and cuts to the longest slug. Returns `fallback` if nothing is left.
 */
export function slugFrom(title: string, fallback: string, number = 1): string {
  const plain = normalize(title, 'NFC')
    .split(OTHER_SCRIPTS())
    .map((part, n) => (n % 2 === 1 ? part : withoutDiacritics(part)))
  const words = normalize(plain.join('').toLowerCase(), 'NFC')
    .replace(/(?:[^\p{L}\p{N}\p{M}]\p{M}*)+/gu, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '')
  const suffix = number > 1 ? `-${number}` : ''
  const cut = beginningOf(words, LONGEST_SLUG - codePoints(suffix)).replace(/-+$/, '')
  return `${cut === '' ? fallback : cut}${suffix}`
}
