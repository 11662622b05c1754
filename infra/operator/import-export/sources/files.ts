// Reads text files of any size and encoding in bounded memory. Those that end with `.gz` are compressed.
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { OperatorError } from '../../command.ts'

const LINE_FEED = 10
/** A line with a post of the largest body, if each character of it is escaped. */
const LONGEST_LINE = 16_000_000
/** A text of as many characters fits into a string of Node. */
const LARGEST_FILE = 500_000_000
/** Texts of people become ten times smaller. A file that is not large may repeat itself. */
const [LARGEST_RATIO, UNCHECKED_BYTES] = [200, 64_000_000]

/** Compressed data that was cut off just ends, as other data does. Throws OperatorError. */
async function* readPieces(file: string): AsyncGenerator<Buffer> {
  const stream = createReadStream(file)
  const bytes = file.endsWith('.gz') ? stream.pipe(createGunzip()) : stream
  stream.on('error', error => bytes.destroy(error))
  let length = 0
  try {
    for await (const piece of bytes) {
      length += piece.length
      if (length > UNCHECKED_BYTES && length > LARGEST_RATIO * stream.bytesRead) {
        throw new Error(`its content is more than ${LARGEST_RATIO} times larger than the compressed file`)
      }
      yield piece
    }
  } catch (error) {
    const { code, message }: { code?: string; message?: string } = Object(error)
    if (code === 'Z_BUF_ERROR') return
    throw new OperatorError(`${file} cannot be read: ${message}.`)
  } finally {
    stream.destroy()
    bytes.destroy()
  }
}

export type Line = { number: number; text: string } | { number: number; problem: string }

/** Splits at line feeds only: JSON may contain other characters that some readers take for line ends. */
export async function* readLines(file: string): AsyncGenerator<Line> {
  let [number, length] = [0, 0]
  let parts: Buffer[] = []
  const take = (): Line => {
    const [line, size] = [Buffer.concat(parts), length]
    ;[number, length, parts] = [number + 1, 0, []]
    if (size > LONGEST_LINE) return { number, problem: `Is longer than ${LONGEST_LINE / 1_000_000} MB.` }
    return isUtf8(line) ? { number, text: line.toString() } : { number, problem: 'Is not UTF-8.' }
  }
  for await (const piece of readPieces(file)) {
    for (let [start, end] = [0, 0]; end >= 0; start = end + 1) {
      end = piece.indexOf(LINE_FEED, start)
      const part = piece.subarray(start, end < 0 ? piece.length : end)
      length += part.length
      if (length <= LONGEST_LINE) parts.push(part)
      if (end >= 0) yield take()
    }
  }
  if (length > 0) yield take()
}

/** `brokenAt`: the first line with bytes that the encoding does not have, each of which is U+FFFD. */
export type FileText = { text: string; brokenAt: number | undefined }
const DECLARATION = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/

/** Reads a whole file, in UTF-8 unless it is XML that declares another encoding. Throws OperatorError. */
export async function readText(file: string): Promise<FileText> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of readPieces(file)) {
    length += piece.length
    if (length > LARGEST_FILE) {
      throw new OperatorError(`${file} has more than ${LARGEST_FILE / 1_000_000} MB.`)
    }
    pieces.push(piece)
  }
  const bytes = Buffer.concat(pieces)
  const [, encoding = 'UTF-8'] = DECLARATION.exec(bytes.toString('latin1', 0, 200)) ?? []
  try {
    return decode(bytes, encoding)
  } catch {
    throw new OperatorError(`The encoding ${encoding} is not known. Save ${file} as UTF-8.`)
  }
}

/** A byte order mark wins. Throws if the encoding is not known. */
function decode(bytes: Buffer, encoding: string): FileText {
  const marked = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.toString('hex', 0, 2)]
  const decoder = new TextDecoder(marked ?? encoding)
  const text = decoder.decode(bytes)
  if (decoder.encoding !== 'utf-8' || isUtf8(bytes)) return { text, brokenAt: undefined }
  return { text, brokenAt: text.slice(0, text.indexOf('\ufffd')).split('\n').length }
}
