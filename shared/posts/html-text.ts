// The text of a body as a reader of the page sees it, the excerpt and the reading time. No I/O.
import { Tokenizer } from 'htmlparser2'
import { codePoints } from '../http/text.ts'

const SILENT = new Set(['script', 'style'])
/** Within these elements `/>` closes a tag, and script is parsed like any other element. */
const FOREIGN = new Set(['svg', 'math'])

/** Elements within a line (phrasing content of HTML, without br). Every other tag separates words. */
const INLINE = new Set(
  (
    'a abbr acronym area audio b bdi bdo big button canvas cite code data datalist del dfn em embed font i iframe ' +
    'img input ins kbd label map mark math meter nobr noscript object output picture progress q rb rp rt ruby s ' +
    'samp select slot small source span strike strong sub sup svg template textarea time track tt u var video wbr'
  ).split(' '),
)

function ignore() {
  return undefined
}

/** Events of the tokenizer that do not concern the text. */
const IGNORED = {
  onattribdata: ignore,
  onattribentity: ignore,
  onattribend: ignore,
  onattribname: ignore,
  oncdata: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onopentagend: ignore,
  onprocessinginstruction: ignore,
}

const WORDS_PER_MINUTE = 200
const EXCERPT_LENGTH = 160

/** Removes tags, comments, script and style, decodes entities and folds white space. */
export function textOf(html: string): string {
  return blocksOf(html).join(' ')
}

/** Separates two blocks. */
const BREAK = Symbol('break')

/**
 * Returns the texts of headings, paragraphs, items, cells … one by one. It builds no tree of elements,
 * because a tree of a hundred thousand unclosed elements takes quadratic time.
 */
export function blocksOf(html: string): string[] {
  const parts: (string | typeof BREAK)[] = []
  let silent: string | undefined
  let foreign = 0
  let opened = ''
  const nameOf = (start: number, end: number): string => {
    const name = html.slice(start, end).toLowerCase()
    if (!INLINE.has(name)) parts.push(foreign === 0 && isBlock(name) ? BREAK : ' ')
    return name
  }
  const close = (name: string) => {
    if (name === silent) silent = undefined
    if (FOREIGN.has(name)) foreign = Math.max(0, foreign - 1)
  }
  const tokenizer = new Tokenizer(
    {},
    {
      ...IGNORED,
      onopentagname: (start, end) => {
        opened = nameOf(start, end)
        if (SILENT.has(opened)) silent ??= opened
        if (FOREIGN.has(opened)) foreign++
      },
      onselfclosingtag: () => {
        if (foreign > 0) close(opened)
      },
      onclosetag: (start, end) => close(nameOf(start, end)),
      ontext: (start, end) => {
        if (!silent) parts.push(html.slice(start, end))
      },
      ontextentity: codePoint => {
        if (!silent) parts.push(String.fromCodePoint(codePoint))
      },
      isInForeignContext: () => foreign > 0,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return joined(parts)
}

/** br breaks a line within a block, script and style are invisible, custom elements run within a line. */
function isBlock(name: string): boolean {
  return name !== 'br' && !SILENT.has(name) && !name.includes('-')
}

function joined(parts: (string | typeof BREAK)[]): string[] {
  const blocks: string[] = []
  let block: string[] = []
  const end = () => {
    const text = block.join('').replace(/\s+/g, ' ').trim()
    if (text !== '') blocks.push(text)
    block = []
  }
  for (const part of parts) {
    if (part === BREAK) {
      end()
    } else {
      block.push(part)
    }
  }
  end()
  return blocks
}

/** Returns the minutes at 200 words a minute, at least one. */
export function readingTimeOf(text: string): number {
  const wordCount = text === '' ? 0 : text.split(' ').length
  return Math.max(1, Math.ceil(wordCount / WORDS_PER_MINUTE))
}

/** Returns the beginning of the blocks as running text, with a dash between blocks that no mark separates. */
export function excerptOf(blocks: string[]): string {
  let text = ''
  for (const block of blocks) {
    if (text.length > 4 * EXCERPT_LENGTH) break
    if (text !== '') text += endsWithMark(text) || BEGINS_WITH_MARK.test(block) ? ' ' : DASH
    text += block
  }
  return cut(text).replace(/ –$/, '')
}

const DASH = ' – '
const BEGINS_WITH_MARK = /^[\p{Pd}•·…]/u
/** Ignores closing quotes and brackets after the mark. */
function endsWithMark(text: string): boolean {
  return /\p{P}$/u.test(text.slice(-8).replace(/[\p{Pe}\p{Pf}"']+$/u, ''))
}

/** Cuts to at most 160 characters, after a word if the first word fits, without an ellipsis. */
function cut(text: string): string {
  if (codePoints(text) <= EXCERPT_LENGTH) return text
  const longest = Array.from(text.slice(0, 4 * EXCERPT_LENGTH))
    .slice(0, EXCERPT_LENGTH + 1)
    .join('')
  const lastSpace = longest.lastIndexOf(' ')
  return lastSpace > 0 ? longest.slice(0, lastSpace) : Array.from(longest).slice(0, EXCERPT_LENGTH).join('')
}
