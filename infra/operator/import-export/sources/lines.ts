// Reads the lines of a text file, which may be compressed with gzip.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'

const GZIP = Buffer.from([0x1f, 0x8b])

async function isCompressed(file: string): Promise<boolean> {
  await using handle = await open(file)
  const { buffer } = await handle.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0)
  return buffer.equals(GZIP)
}

/** The text in pieces, whatever the name of the file. */
export async function* readPieces(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file)
  const bytes = (await isCompressed(file)) ? stream.pipe(createGunzip()) : stream
  stream.on('error', error => bytes.destroy(error))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const piece of bytes) yield decoder.decode(piece, { stream: true })
    yield decoder.decode()
  } finally {
    stream.destroy()
  }
}

/** Splits at line feeds only: JSON may contain other characters that some readers take for line ends. */
export async function* readLines(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of readPieces(file)) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield line
  }
  if (rest !== '') yield rest
}

export async function readAll(file: string): Promise<string> {
  const pieces: string[] = []
  for await (const piece of readPieces(file)) pieces.push(piece)
  return pieces.join('').replace(/^\ufeff/, '')
}

/** The first characters of the text. */
export async function readStart(file: string, length: number): Promise<string> {
  let text = ''
  for await (const piece of readPieces(file)) {
    text += piece
    if (text.length >= length) break
  }
  return text.slice(0, length).replace(/^\ufeff/, '')
}
