// Explains why a folder cannot hold the data of a run, and what to do.
import { existsSync, statfsSync } from 'node:fs'
import { resolve } from 'node:path'

const READ_ONLY = 'it is on a read-only file system'
const DENIED = 'this user has no permission to write there'

const WHY: Record<string, string> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: READ_ONLY,
  // The error of Linux for creating nested folders on a read-only file system.
  ENOENT: `it cannot be created, perhaps because ${READ_ONLY}`,
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk is full for this user',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its symbolic links form a loop',
}

/** In the words of Node, SQLite and DynamoDB Local. */
const FULL_DISK = /\b(?:ENOSPC|EDQUOT|SQLITE_FULL)\b|disk is full/
/** SQLite says this of a full disk as well, if it cannot enlarge a file that is mapped into memory. */
const PERHAPS_FULL = /disk I\/O error/
const LITTLE_BYTES = 1_000_000

/** Whether something failed because the disk of the folder is full. */
export function isFullDisk(folder: string, failure: string): boolean {
  if (FULL_DISK.test(failure)) return true
  if (!PERHAPS_FULL.test(failure) || !existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < LITTLE_BYTES
}

export function fullDisk(folder: string): string {
  return `The disk of ${resolve(folder)} is full, so nothing can be stored. Free some space there, or use another folder: --state DIR.`
}

/** Returns errors with another code unchanged. */
export function unusableFolder(folder: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why = WHY[code]
  if (why === undefined) return error
  return new Error(`Cannot keep the data in ${folder}: ${why}. Use another folder: --state DIR.`, {
    cause: error,
  })
}
