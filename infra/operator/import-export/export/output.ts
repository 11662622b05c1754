// Where an export is written: to stdout, or to a file that a later run continues if it was cut off.
import { open, readFile, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod/mini'
import { writeJsonAtomically } from '../../../local/state.ts'

const compress = promisify(gzip)

/** The next records to read: the number of the step, and the first id. */
export const Position = z.object({ step: z.int(), id: z.int(), records: z.int() })
export type Position = z.infer<typeof Position>

export type ExportOutput = {
  /** Writes whole lines. A later run continues at `next`. */
  write: (text: string, next: Position) => Promise<void>
  end: () => Promise<void>
}

/** `start` is what a continued export began with; it is compared as JSON. */
export type Opened<Start> = ExportOutput & { start: Start; from: Position }

const BEGINNING: Position = { step: 0, id: 1, records: 0 }

export function openStream<Start>(start: Start, writeOut: (text: string) => Promise<void>): Opened<Start> {
  return { start, from: BEGINNING, write: writeOut, end: async () => undefined }
}

/**
 * Writes to `FILE.partial` until the export is complete. Each block of a compressed file is a member of its
 * own, so that a run can continue behind the last complete one.
 */
export async function openFile<Start>(
  file: string,
  schema: z.ZodMiniType<Start>,
  newStart: () => Promise<Start>,
  isSame: (start: Start) => boolean,
): Promise<Opened<Start>> {
  const path = resolve(file)
  const [partial, notes] = [`${path}.partial`, `${path}.partial.json`]
  const Notes = z.object({ start: schema, next: Position, bytes: z.int() })
  const text = await readFile(notes, 'utf8').catch(() => undefined)
  const stored = text === undefined ? undefined : Notes.safeParse(JSON.parse(text)).data
  const continued = stored && isSame(stored.start) ? stored : undefined
  const start = continued?.start ?? (await newStart())
  const handle = await open(partial, continued ? 'r+' : 'w', 0o600)
  let bytes = continued?.bytes ?? 0
  await handle.truncate(bytes)
  const write = async (text: string, next: Position): Promise<void> => {
    const block = path.endsWith('.gz') ? await compress(text) : Buffer.from(text)
    await handle.write(block, 0, block.length, bytes)
    bytes += block.length
    await handle.datasync()
    await writeJsonAtomically(notes, { start, next, bytes })
  }
  const end = async (): Promise<void> => {
    await handle.close()
    await rename(partial, path)
    await rm(notes, { force: true })
  }
  return { start, from: continued?.next ?? BEGINNING, write, end }
}
