// Stored text for a terminal: what its author put into it moves no cursor, hides no word and begins no line.

/** Control characters, line separators, and what turns the direction of text. */
const ACTING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A line as it may be shown; tabs divide its columns. */
export function printable(line: string): string {
  return line.replace(ACTING, character => (character === '\t' ? character : escaped(character)))
}

/** The columns of a line, in none of which is a tab of its own. */
export function columns(cells: unknown[]): string {
  return cells.map(cell => String(cell).replaceAll('\t', escaped('\t'))).join('\t')
}
