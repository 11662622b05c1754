// Escapes stored text for a terminal, so that it cannot move the cursor, hide words or start a new line.

/** Control characters, line separators, and characters that change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A line that is safe to print; tabs separate its columns. */
export function printable(line: string): string {
  return line.replace(UNSAFE, character => (character === '\t' ? character : escaped(character)))
}

/** Joins columns to a line and escapes the tabs inside of them. */
export function columns(cells: unknown[]): string {
  return cells.map(cell => String(cell).replaceAll('\t', escaped('\t'))).join('\t')
}
