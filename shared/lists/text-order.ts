// Order by a text, for lists that people read by name: one rule for titles, names and addresses.
import { folded } from '../http/text.ts'
import { sortable } from '../table/design.ts'

/** A sort key holds 1,024 bytes; longer texts that begin alike stand by id. */
const ORDER_LENGTH = 100
/** Below every character that a text can hold after folding and trimming. */
const END = '\u0001'

/** The first code points of a text. */
export function cut(text: string, length: number): string {
  return Array.from(text.slice(0, 2 * length))
    .slice(0, length)
    .join('')
}

/** What stands in Unicode as a letter of its own, though readers type it as another with a mark, or as two. */
const LETTERS: Record<string, string> = Object.fromEntries(
  'ς σ, ß ss, æ ae, œ oe, ø o, đ d, ð d, ł l, ħ h, ŧ t, þ th, ı i'.split(', ').map(pair => pair.split(' ')),
)
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')

export function caseless(text: string): string {
  return folded(text).replace(LETTER, letter => LETTERS[letter] ?? letter)
}

/** By the text without case and diacritics, cut so that any text fits a sort key, then by id. */
export function textOrder(text: string, id: number): string {
  return `${prefixOrder(text)}${END}${sortable(id)}`
}

/** What the order key of every text with this beginning begins with. */
export function prefixOrder(text: string): string {
  return cut(caseless(text), ORDER_LENGTH)
}
