// Markdown to HTML, absolute links in HTML, and the text of HTML. Each takes time in proportion to its input.
import { Tokenizer } from 'htmlparser2'
import MarkdownIt from 'markdown-it'
import footnote from 'markdown-it-footnote'
import alerts from 'markdown-it-github-alerts'
import { LARGEST_BODY_BYTES } from '../../../../shared/lambda/input.ts'
import { IGNORED, rawTextOf } from '../../../../shared/posts/html-text.ts'

const markdown = new MarkdownIt({ html: true, linkify: true })
  .use(footnote)
  .use(alerts, { icons: {} })
  // `^[` as a footnote is known to none of the generators.
  .disable('footnote_inline')
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })

/** The parser drops what is nested 100 levels deep. */
const DEEPEST = 97

/** GitHub's Markdown with footnotes, and HTML as it is. Throws if it is too large or nested too deep. */
export function htmlOf(text: string): string {
  if (text.length > LARGEST_BODY_BYTES) throw new Error('It is larger than the 2 MiB of a request.')
  const env = {}
  const tokens = markdown.parse(text, env)
  if (tokens.some(({ level }) => level > DEEPEST)) throw new Error('It is nested too deep.')
  return markdown.renderer.render(tokens, markdown.options, env).trim()
}

const LINKS = new Set(['href', 'src', 'poster', 'srcset'])

/**
 * Makes relative links and images absolute. `page` is the page's own address; without it they stay, and
 * `hasRelative` says so.
 */
export function withAbsoluteLinks(html: string, page: string | undefined) {
  const parts: string[] = []
  let [done, end] = [0, 0]
  let name = ''
  let start: number | undefined
  let hasRelative = false
  const tokenizer = new Tokenizer(
    {},
    {
      ...IGNORED,
      onattribname: (from, to) => {
        name = html.slice(from, to).toLowerCase()
        start = undefined
      },
      onattribdata: (from, to) => {
        start ??= from
        end = to
      },
      // A value that begins with an entity stays as it is.
      onattribentity: () => {
        start ??= Number.NaN
      },
      onattribend: () => {
        if (start === undefined || Number.isNaN(start) || !LINKS.has(name)) return
        const value = html.slice(start, end)
        const absolute = name === 'srcset' ? absoluteSet(value, page) : absoluteUrl(value, page)
        hasRelative ||= !ABSOLUTE.test(absolute)
        if (page === undefined) return
        parts.push(html.slice(done, start), absolute)
        done = end
      },
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return { html: parts.join('') + html.slice(done), hasRelative }
}

/** With a scheme, of this page, or with a tag of a template. */
const ABSOLUTE = /^\s*(?:[a-z][a-z0-9+.-]*:|#|\{|$)/i

/** Without an address of the page, only one that begins with `//` becomes absolute. */
export function absoluteUrl(url: string, page: string | undefined): string {
  const trimmed = url.trim()
  if (ABSOLUTE.test(trimmed)) return url
  if (page === undefined) return trimmed.startsWith('//') ? `https:${trimmed}` : url
  return URL.parse(trimmed, page)?.href ?? url
}

function absoluteSet(set: string, page: string | undefined): string {
  if (set.includes('data:')) return set
  const candidates = set.split(',').map(candidate => candidate.trim())
  return candidates.map(candidate => candidate.replace(/^\S+/, url => absoluteUrl(url, page))).join(', ')
}

/** Plain text in which line ends stay, since a reader sees them. */
export function plainText(html: string): string {
  const isLineEnd = (name: string, isEnd: boolean) => !isEnd && (name === 'br' || name === 'p')
  return rawTextOf(html, (name, isEnd) => (isLineEnd(name, isEnd) ? '\n' : ''))
    .toWellFormed()
    .trim()
}
