// The text of a body as a reader of the page sees it, the excerpt and the reading time. No I/O.
import { Tokenizer } from 'htmlparser2'
import { beginningOf } from '../http/text.ts'
import { SPACELESS } from '../search/tokenizer.ts'

/** Elements whose text no reader sees: code, and the fallback of media that a browser cannot show. */
const HIDDEN = new Set(
  (
    'script style template noscript video audio iframe object canvas datalist noembed noframes title annotation ' +
    'annotation-xml'
  ).split(' '),
)
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

/** All events of the tokenizer: a reader has those that concern it. */
export const IGNORED = {
  onattribdata: ignore,
  onattribentity: ignore,
  onattribend: ignore,
  onattribname: ignore,
  oncdata: ignore,
  onclosetag: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onopentagend: ignore,
  onopentagname: ignore,
  onprocessinginstruction: ignore,
  onselfclosingtag: ignore,
  ontext: ignore,
  ontextentity: ignore,
}

/** Without tags, comments and what no reader sees, with entities decoded and white space folded. */
export function textOf(html: string): string {
  return rawTextOf(html, name => (INLINE.has(name) ? '' : ' '))
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * The same with white space as it is; `separatorOf` returns what a tag stands for. It builds no tree, because
 * a tree of a hundred thousand unclosed elements takes quadratic time.
 */
export function rawTextOf(html: string, separatorOf: (name: string, isEnd: boolean) => string): string {
  const parts: string[] = []
  let foreign = 0
  let opened = ''
  /** How many elements of each name are open within a hidden one; undefined outside of it. */
  let hidden: Map<string, number> | undefined
  const open = (name: string) => {
    if (hidden) {
      hidden.set(name, (hidden.get(name) ?? 0) + 1)
    } else if (HIDDEN.has(name) && !(foreign > 0 && name === 'title')) {
      hidden = new Map()
    }
    if (FOREIGN.has(name)) foreign++
  }
  // An element that was not opened within the hidden one is itself or around it, and ends it.
  const close = (name: string) => {
    const count = hidden?.get(name) ?? 0
    if (count > 0) {
      hidden?.set(name, count - 1)
    } else {
      hidden = undefined
    }
    if (FOREIGN.has(name)) foreign = Math.max(0, foreign - 1)
  }
  const nameOf = (start: number, end: number, isEnd: boolean): string => {
    const name = html.slice(start, end).toLowerCase()
    parts.push(separatorOf(name, isEnd))
    return name
  }
  const tokenizer = new Tokenizer(
    {},
    {
      ...IGNORED,
      onopentagname: (start, end) => {
        opened = nameOf(start, end, false)
        open(opened)
      },
      onselfclosingtag: () => {
        if (foreign > 0) close(opened)
      },
      onclosetag: (start, end) => close(nameOf(start, end, true)),
      ontext: (start, end) => {
        if (!hidden) parts.push(html.slice(start, end))
      },
      ontextentity: codePoint => {
        if (!hidden) parts.push(String.fromCodePoint(codePoint))
      },
      isInForeignContext: () => foreign > 0,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return parts.join('')
}

const WORDS_PER_MINUTE = 200
const CHARACTERS_PER_MINUTE = 500

// Compiled on first use, as classes of whole scripts take long to compile.
function compilePatterns() {
  return { spaceless: new RegExp(SPACELESS, 'v'), letter: /[\p{L}\p{N}]/u }
}

let compiledPatterns: ReturnType<typeof compilePatterns> | undefined

/** Minutes, at least one. Characters of scripts without spaces count one by one, and separate words. */
export function readingTimeOf(text: string): number {
  compiledPatterns ??= compilePatterns()
  const { spaceless, letter } = compiledPatterns
  let words = 0
  let characters = 0
  for (const word of text.split(' ')) {
    const parts = word.split(spaceless)
    characters += parts.length - 1
    words += parts.length === 1 ? 1 : parts.filter(part => letter.test(part)).length
  }
  const share = words * CHARACTERS_PER_MINUTE + characters * WORDS_PER_MINUTE
  return Math.max(1, Math.ceil(share / (WORDS_PER_MINUTE * CHARACTERS_PER_MINUTE)))
}

const EXCERPT_LENGTH = 160

/** At most 160 characters, cut after a word if the first word fits, without an ellipsis. */
export function excerptOf(text: string): string {
  const longest = beginningOf(text, EXCERPT_LENGTH)
  if (longest === text) return text
  const lastSpace = text.lastIndexOf(' ', longest.length)
  return lastSpace > 0 ? text.slice(0, lastSpace) : longest
}
