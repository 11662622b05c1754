// The text of a body: what a reader of the page would read.
import { Parser } from 'htmlparser2'
import { codePoints } from '../http/text.ts'

const SILENT = new Set(['script', 'style'])

/** Elements that run on within a line (HTML, phrasing content); every other tag separates words. */
const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q ruby rb rp rt ' +
    's samp small span strike strong sub sup time tt u var wbr'
  ).split(' '),
)

const WORDS_PER_MINUTE = 200
const EXCERPT_LENGTH = 160

/** Without tags, comments, script and style; entities decoded, white space folded. */
export const textOf = (html: string): string => {
  const parts: string[] = []
  let silent = 0
  const separate = (name: string) => {
    if (!INLINE.has(name)) parts.push(' ')
  }
  const parser = new Parser({
    onopentagname: name => {
      if (SILENT.has(name)) silent++
      separate(name)
    },
    onclosetag: name => {
      if (SILENT.has(name)) silent = Math.max(0, silent - 1)
      separate(name)
    },
    ontext: text => {
      if (silent === 0) parts.push(text)
    },
  })
  parser.end(html)
  return parts.join('').replace(/\s+/g, ' ').trim()
}

/** Minutes at 200 words each, at least one. */
export const readingTimeOf = (text: string): number => {
  const words = text === '' ? 0 : text.split(' ').length
  return Math.max(1, Math.ceil(words / WORDS_PER_MINUTE))
}

/** At most 160 characters, cut after a word, inside one only when the first is longer; no ellipsis. */
export const excerptOf = (text: string): string => {
  if (codePoints(text) <= EXCERPT_LENGTH) return text
  const longest = Array.from(text.slice(0, 4 * EXCERPT_LENGTH))
    .slice(0, EXCERPT_LENGTH + 1)
    .join('')
  const lastSpace = longest.lastIndexOf(' ')
  return lastSpace > 0 ? longest.slice(0, lastSpace) : Array.from(longest).slice(0, EXCERPT_LENGTH).join('')
}
