// WordPress' classic editor stores no paragraphs but blank lines. Its newer editor stores HTML with comments.

const BLOCK_COMMENT = /<!--\s*\/?wp:[\s\S]*?-->\n?/g
/** Elements that stand alone, and within which blank lines mean nothing. */
const BLOCKS =
  'address|article|aside|blockquote|details|div|dl|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|iframe|main|nav|ol|p|pre|script|section|style|table|ul|video|audio'
const VERBATIM = /<(pre|script|style|textarea)\b[\s\S]*?<\/\1>/gi
const HAS_BLOCK = new RegExp(`^<(?:${BLOCKS})\\b|</(?:${BLOCKS})>`, 'i')
const OPENING = new RegExp(`(<(?:${BLOCKS})\\b)`, 'gi')
const CLOSING = new RegExp(`(</(?:${BLOCKS})>|<hr\\b[^>]*>)`, 'gi')

/** HTML with paragraphs, as WordPress shows it. U+FDD0, which no text has, marks what stays as it is. */
export function withParagraphs(content: string): string {
  if (/<!--\s*wp:/.test(content)) return content.replaceAll(BLOCK_COMMENT, '').trim()
  const kept: string[] = []
  const text = content
    .replaceAll('\r\n', '\n')
    .replaceAll(VERBATIM, verbatim => `\n\n\ufdd0${kept.push(verbatim) - 1}\ufdd0\n\n`)
    .replaceAll(OPENING, '\n\n$1')
    .replaceAll(CLOSING, '$1\n\n')
  const parts = text.split(/\n\s*\n/).map(part => part.trim())
  return parts
    .filter(part => part !== '')
    .map(part => (HAS_BLOCK.test(part) || part.startsWith('\ufdd0') ? part : `<p>${broken(part)}</p>`))
    .join('\n')
    .replaceAll(/\ufdd0(\d+)\ufdd0/g, (_, number) => kept[Number(number)] ?? '')
}

function broken(paragraph: string): string {
  return paragraph.replaceAll(/(?<!<br\s*\/?>)\n/gi, '<br>\n')
}
