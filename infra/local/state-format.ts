// The format version of a state: an older service refuses a state that a newer one has written.
import { readFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import manifest from '../../package.json' with { type: 'json' }

/** Increment this when the previous version cannot read what this one writes. */
const FORMAT = 2

const FormatFile = z.object({ format: z.int(), version: z.string() })

/** The format and version that this program writes into the state. */
export const ownFormat: z.infer<typeof FormatFile> = { format: FORMAT, version: manifest.version }

/** Throws if a newer version has written the state. A state without the file is older than this check. */
export async function checkFormat(folder: string, file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const { format, version } = FormatFile.parse(JSON.parse(text))
  if (format > FORMAT) {
    throw new Error(
      `${folder} was written by version ${version} of this service. This version (${manifest.version}) is older and cannot read it. Use version ${version} or newer, or another folder: --state DIR.`,
    )
  }
}
