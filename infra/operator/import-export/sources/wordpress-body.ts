// The body of a post of WordPress as it shows it: blocks without their comments, or the classic editor's text
// with paragraphs. All patterns take time in proportion to the text.
import * as z from 'zod/mini'

type HtmlOfBlock = (name: string, reference: string) => string | undefined

/** Notes what has no place: blocks that are made when shown, and shortcodes. */
export function bodyOf(content: string, htmlOfBlock: HtmlOfBlock, notes: string[]): string {
  const html = content.includes('<!-- wp:')
    ? withoutBlockComments(content, htmlOfBlock, notes).trim()
    : withParagraphs(content)
  const codes = shortcodesIn(html)
  if (codes.length > 0) notes.push(`It has shortcodes, which stay as they are: ${codes.join(', ')}.`)
  return html
}

const Footnotes = z.array(z.object({ id: z.string(), content: z.string() }))

/** The block editor keeps the texts of footnotes apart from the content, as JSON. */
export function htmlOfFootnotes(json = ''): string | undefined {
  try {
    const items = Footnotes.parse(JSON.parse(json)).map(
      ({ id, content }) => `<li id="${id}">${content} <a href="#${id}-link">↩︎</a></li>`,
    )
    return items.length > 0 ? `<ol class="wp-block-footnotes">${items.join('')}</ol>` : undefined
  } catch {
    return undefined
  }
}

const COMMENT = /<!--([\s\S]*?)-->(\n?)/g
const BLOCK = /^\s?\/?wp:(\S+)/
const REFERENCE = /"ref":\s?(\d+)/

/** The block editor stores HTML with comments. A block without HTML is made when it is shown: it is noted. */
function withoutBlockComments(content: string, htmlOf: HtmlOfBlock, notes: string[], depth = 0): string {
  const dynamic = new Set<string>()
  // Behind the last end, each beginning of a comment would be searched for its end.
  const end = content.lastIndexOf('-->') + '-->\n'.length
  const html = content.slice(0, end).replaceAll(COMMENT, (comment: string, inside: string) => {
    const [, name] = BLOCK.exec(inside) ?? []
    if (name === undefined) return comment
    if (!inside.endsWith('/')) return ''
    const [, reference = ''] = REFERENCE.exec(inside) ?? []
    const ofBlock = depth > 2 ? undefined : htmlOf(name, reference)
    if (ofBlock !== undefined) return withoutBlockComments(ofBlock, htmlOf, notes, depth + 1)
    dynamic.add(name)
    return ''
  })
  if (dynamic.size > 0) {
    notes.push(`It has blocks without HTML, which are left out: ${[...dynamic].join(', ')}.`)
  }
  return html + content.slice(end)
}

const SHORTCODE = /\[(\/?)([a-z][a-z0-9_-]{1,40})((?=[\s/\]])[^[\]<>]*)\]/gi
const KNOWN = new Set(
  'caption gallery embed audio video playlist contact-form contact-form-7 more'.split(' '),
)

/** Words in brackets that are no shortcodes have neither an end nor attributes. */
function shortcodesIn(html: string): string[] {
  const names = new Set<string>()
  for (const [, end, name = '', rest = ''] of html.matchAll(SHORTCODE)) {
    if (end === '/' || rest.includes('=') || KNOWN.has(name)) names.add(name)
  }
  return [...names]
}

const BLOCKS =
  'table|thead|tfoot|caption|col|colgroup|tbody|tr|td|th|div|dl|dd|dt|ul|ol|li|pre|form|map|area|blockquote|address|style|p|h[1-6]|hr|fieldset|legend|section|article|aside|hgroup|header|footer|nav|figure|figcaption|details|menu|summary|main|video|audio|iframe|script'
const OPENING = new RegExp(`<(?:${BLOCKS})(?=[\\s/>])[^<>]*>`, 'gi')
const CLOSING = new RegExp(`</(?:${BLOCKS})\\s?>`, 'gi')
/** Within these, line ends mean nothing. Code comes first, since it may contain tags of the others. */
const VERBATIM = ['script', 'style', 'textarea', 'pre', 'svg']
const ANY_TAG = /<[a-z/!][^<>]*>/gi
/** Marks what stays as it is: no text has these characters. */
const [KEPT, END] = ['\ufdd0', '\ufdd1']

/** Blank lines become paragraphs: the steps of its `wpautop`. */
function withParagraphs(content: string): string {
  const kept: string[] = []
  const lines = content.replaceAll(/\r\n?/g, '\n').replaceAll(/[\ufdd0\ufdd1]/g, '')
  const blocks = VERBATIM.reduce((text, name) => withoutVerbatim(text, name, kept), lines)
    // Line ends in tags are no line ends of the text.
    .replaceAll(ANY_TAG, tag => tag.replaceAll('\n', ' '))
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
    .replaceAll(/<br ?\/?>\n*<br ?\/?>/gi, '\n\n')
    .replaceAll(OPENING, '\n\n$&')
    .replaceAll(CLOSING, '$&\n\n')
    .replaceAll(/<hr(?=[\s/>])[^<>]*>/gi, '$&\n\n')
  const paragraphs = blocks
    .split(/\n\n+/)
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(paragraphOf)
  return withVerbatim(paragraphs.join('\n'), kept)
}

function withoutVerbatim(text: string, name: string, kept: string[]): string {
  const element = new RegExp(`<${name}(?=[\\s/>])[\\s\\S]*?</${name}>`, 'gi')
  const margin = name === 'svg' || name === 'textarea' ? '' : '\n\n'
  // Behind the last end, each beginning would be searched for its end.
  const rest = text.split(new RegExp(`</${name}>`, 'i')).at(-1) ?? ''
  const whole = text.slice(0, text.length - rest.length)
  return whole.replaceAll(element, html => `${margin}${KEPT}${kept.push(html) - 1}${END}${margin}`) + rest
}

function withVerbatim(text: string, kept: string[]): string {
  return text.replaceAll(/\ufdd0(\d+)\ufdd1/g, (_, number) => withVerbatim(kept[Number(number)] ?? '', kept))
}

const OPENS = new RegExp(`^<(${BLOCKS})(?=[\\s/>])[^<>]*>`, 'i')
const CLOSES = new RegExp(`</(${BLOCKS})\\s?>$`, 'i')
const APART = /^(?:\ufdd0\d+\ufdd1|<!--(?:[^-]|-(?!->))*-->)$/
/** Their text stands in no paragraph. */
const HOLDS_TEXT =
  /^(?:h[1-6]|li|td|th|dt|dd|caption|figcaption|summary|legend|table|t(?:head|body|foot|r)|ul|ol|dl)$/i

/** A part has at most one tag of a block at its beginning and one at its end. */
function paragraphOf(part: string): string {
  const [open = '', opened] = OPENS.exec(part) ?? []
  const rest = part.slice(open.length)
  const [close = '', closed] = CLOSES.exec(rest) ?? []
  const text = rest.slice(0, rest.length - close.length).trim()
  if (text === '' || APART.test(part)) return part
  const lines = text.replaceAll(/(?<!<br ?\/?>)\n/gi, '<br>\n')
  const isSame = opened !== undefined && opened === closed
  if (
    isSame ? !/^blockquote$/i.test(opened) : HOLDS_TEXT.test(opened ?? '') || /^h[1-6]$/i.test(closed ?? '')
  ) {
    return `${open}${lines}${close}`
  }
  const [before, after] = [/^p$/i.test(opened ?? '') ? '' : '<p>', /^p$/i.test(closed ?? '') ? '' : '</p>']
  return `${open}${before}${lines}${after}${close}`
}
