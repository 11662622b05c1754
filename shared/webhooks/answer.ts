// What a receiver answered, as far as the log keeps it: headers of 2 kB, and the start of the body. No I/O.
import { codePoints } from '../http/text.ts'
import type { DeliveryResponse } from './fields.ts'
import { packBytes, unpackBytes } from './packed.ts'

export const MAX_START_BYTES = 1_024
const MAX_HEADER_BYTES = 2_048

/** The lines of the headers, and the first bytes of the body. */
export type ReceiverAnswer = { headers: string; start: Uint8Array }

/** Keeps whole headers, from the first on. `raw`: names and values in turn. */
export function keptHeaders(raw: string[]): string {
  let lines = ''
  for (let n = 0; n + 1 < raw.length; n += 2) {
    const line = `${raw[n]?.toLowerCase()}: ${raw[n + 1]}\n`
    if (Buffer.byteLength(lines + line) > MAX_HEADER_BYTES) break
    lines += line
  }
  return lines
}

/**
 * Packs into at most `most` bytes, and into `room` if it fits. Headers are left out from the end until it
 * does; the start of the body is kept whole.
 */
export function packAnswer({ headers, start }: ReceiverAnswer, room: number, most: number): Uint8Array {
  for (let lines = headers; ; lines = withoutLast(lines)) {
    const packed = packBytes(Buffer.concat([Buffer.from(`${lines}\n`), start]), room)
    if (packed.length <= most || lines === '') return packed
  }
}

function withoutLast(lines: string): string {
  return lines.slice(0, lines.lastIndexOf('\n', lines.length - 2) + 1)
}

export function unpackAnswer(packed: Uint8Array): DeliveryResponse {
  const bytes = Buffer.from(unpackBytes(packed))
  // An empty line ends the headers.
  const end = bytes[0] === NEWLINE ? 0 : bytes.indexOf('\n\n') + 1
  return { headers: parseLines(bytes.toString('utf8', 0, end)), body_start: textOf(bytes.subarray(end + 1)) }
}

const NEWLINE = 10

function parseLines(lines: string): Record<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines.split('\n').filter(text => text !== '')) {
    const colon = line.indexOf(': ')
    const [name, value] = [line.slice(0, colon), line.slice(colon + 2)]
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}

/** Without a last character that may be cut. Bytes that are no UTF-8 become U+FFFD. */
function textOf(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const text = decoder.decode(bytes, { stream: true })
  if (bytes.length < MAX_START_BYTES) return text
  const last = new Intl.Segmenter().segment(text).containing(text.length - 1)
  const isCut = decoder.decode() !== '' || (last && codePoints(last.segment) > 1)
  return isCut ? text.slice(0, last?.index) : text
}
