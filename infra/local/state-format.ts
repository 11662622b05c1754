// The format of a state: a service refuses a state that it cannot read.
import { readFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import manifest from '../../package.json' with { type: 'json' }

/** Increment this when the previous version cannot read what this one writes, or this one what that wrote. */
const FORMAT = 3

const FormatFile = z.object({ format: z.int(), version: z.string() })

/** The format and version that this program writes into the state. */
export const ownFormat: z.infer<typeof FormatFile> = { format: FORMAT, version: manifest.version }

/** Throws if the state has another format. A new folder has no file. */
export async function checkFormat(folder: string, file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const { format, version } = FormatFile.parse(JSON.parse(text))
  if (format > FORMAT) {
    throw new Error(
      `${folder} was written by version ${version} of this service. This version (${manifest.version}) is older and cannot read it. Use version ${version} or newer, or another folder: --state DIR.`,
    )
  }
  if (format < FORMAT) {
    throw new Error(
      `${folder} has the older format ${format}, which this version (${manifest.version}) cannot read. Use the version that wrote it, or another folder: --state DIR.`,
    )
  }
}
