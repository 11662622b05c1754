// Files that only the user who runs the service may read, on systems that know of that.
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const OTHERS_ACCESS = 0o077

/** New files of this process and of those that it starts are its user's alone. */
export function setPrivateUmask(): void {
  process.umask(OTHERS_ACCESS)
}

/** Closes a folder to other users, and what is kept in it, if an older version left it open. */
export async function makePrivate(folder: string, kept: string[]): Promise<void> {
  if (process.platform === 'win32' || ((await stat(folder)).mode & OTHERS_ACCESS) === 0) return
  for (const path of kept) await close(path)
  // Last: until here the next start would find work to do.
  await chmod(folder, 0o700)
}

async function close(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return
  await chmod(path, found.isDirectory() ? 0o700 : 0o600)
  if (!found.isDirectory()) return
  for (const name of await readdir(path)) await close(join(path, name))
}
