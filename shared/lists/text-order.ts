// Order keys by text, for lists sorted by name: one rule for titles, names and addresses.
import { folded } from '../http/text.ts'
import { sortable } from '../table/design.ts'

/** A sort key holds 1,024 bytes. Longer texts with the same start are sorted by id. */
const ORDER_LENGTH = 100
/** Below every character that a text can hold after folding and trimming. */
const END = '\u0001'

/** The first code points of a text. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return Array.from(text.slice(0, 2 * length))
    .slice(0, length)
    .join('')
}

/** Letters that Unicode does not decompose, and what readers type for them. */
const LETTERS: Record<string, string> = Object.fromEntries(
  'ς σ, ß ss, æ ae, œ oe, ø o, đ d, ð d, ł l, ħ h, ŧ t, þ th, ı i'.split(', ').map(pair => pair.split(' ')),
)
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')

export function caseless(text: string): string {
  return folded(text).replace(LETTER, letter => LETTERS[letter] ?? letter)
}

/** The order key of a text: without case and diacritics, cut to fit a sort key, then by id. */
export function textOrder(text: string, id: number): string {
  return `${prefixOrder(text)}${END}${sortable(id)}`
}

/** The prefix that the order keys of all texts with this start share. */
export function prefixOrder(text: string): string {
  return cut(caseless(text), ORDER_LENGTH)
}
