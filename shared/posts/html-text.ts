// The text of a body: what a reader of the page would read.
import { Parser } from 'htmlparser2'
import { codePoints } from '../http/text.ts'

const SILENT = new Set(['script', 'style'])

/** Elements that run on within a line (HTML, phrasing content, but br); every other tag separates words. */
const INLINE = new Set(
  (
    'a abbr acronym area audio b bdi bdo big button canvas cite code data datalist del dfn em embed font i iframe ' +
    'img input ins kbd label map mark math meter nobr noscript object output picture progress q rb rp rt ruby s ' +
    'samp select slot small source span strike strong sub sup svg template textarea time track tt u var video wbr'
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
