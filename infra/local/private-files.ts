// Makes files readable only by the user who runs the service, on systems with file modes.
import { chmod, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const OTHERS_ACCESS = 0o077

/** Applies to new files of this process and of its child processes. */
export function setPrivateUmask(): void {
  process.umask(OTHERS_ACCESS)
}

/** Closes a folder and the given paths in it to other users, if the folder is open. */
export async function makePrivate(folder: string, paths: string[]): Promise<void> {
  if (process.platform === 'win32' || ((await stat(folder)).mode & OTHERS_ACCESS) === 0) return
  for (const path of paths) await close(path)
  // The folder comes last, so that the next start repeats an interrupted call.
  await chmod(folder, 0o700)
}

/** Writes so that a reader sees the old or the new content. Only this user can read the file. */
export async function writeAtomically(file: string, content: string | Buffer): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    await writeFile(draft, content, { mode: 0o600 })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function close(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats) return
  await chmod(path, stats.isDirectory() ? 0o700 : 0o600)
  if (!stats.isDirectory()) return
  for (const name of await readdir(path)) await close(join(path, name))
}
