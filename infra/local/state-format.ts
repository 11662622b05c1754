// The format of a state: an older program stops before it reads what a newer one has written.
import { readFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import manifest from '../../package.json' with { type: 'json' }

/** One more whenever this version writes what the version before cannot read. */
const FORMAT = 1

const FormatFile = z.object({ format: z.int(), version: z.string() })

/** Written by the version that last had the state. */
export const ownFormat: z.infer<typeof FormatFile> = { format: FORMAT, version: manifest.version }

/** Throws when a newer version has written the state. One without the file is older than this check. */
export async function checkFormat(folder: string, file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const { format, version } = FormatFile.parse(JSON.parse(text))
  if (format > FORMAT) {
    throw new Error(
      `${folder} was written by version ${version} of this service, which is newer than this one (${manifest.version}), and this one cannot read it. Use version ${version} or newer, or keep another state: --state DIR.`,
    )
  }
}
