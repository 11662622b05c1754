// Slugs: in any script, kept as given, compared exactly. The same rule for posts, pages and categories.
import * as z from 'zod/mini'
import { normalize } from '../http/normalize.ts'
import { SLUG_PATTERN } from '../http/patterns.ts'
import { codePoints, isAtMost, trimmedText, withoutDiacritics } from '../http/text.ts'

export const LONGEST_SLUG = 200
const FAULT = `Must be 1 to ${LONGEST_SLUG} letters, digits, "-", "_", "." or "~", with a letter or digit at both ends.`
/** Begins and ends with a letter or digit; marks may follow their letter anywhere, also at the end. Compiled when a slug comes. */
function SLUG() {
  return /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}\-_.~]*[\p{L}\p{N}\p{M}])?$/u
}

/** Whether a record can have it: what cannot be a slug need not be looked up, and may be too long for a key. */
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

/** A slug to look for, in the form that slugs are kept in. */
export const SlugQuery = z.pipe(
  z.string(),
  z.transform(text => normalize(text, 'NFC')),
)

/**
 * A slug from a title: lower case, diacritics dropped, every run of other characters one hyphen. `number` is
 * put behind it on a clash, and the whole fits the longest slug; where nothing is left, `fallback` stands.
 */
export function slugFrom(title: string, fallback: string, number = 1): string {
  const words = normalize(withoutDiacritics(title), 'NFC')
    .toLowerCase()
    .replace(/(?:[^\p{L}\p{N}\p{M}]\p{M}*)+/gu, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '')
  const suffix = number > 1 ? `-${number}` : ''
  const room = LONGEST_SLUG - codePoints(suffix)
  const cut = Array.from(words).slice(0, room).join('').replace(/-+$/, '')
  return `${cut === '' ? fallback : cut}${suffix}`
}
