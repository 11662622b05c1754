// Explains why a folder cannot hold the data of a run, and what to do.

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
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its symbolic links form a loop',
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
