// Why a folder cannot keep the data of a run, in words, and what to do.

const READ_ONLY = 'it is on a read-only file system'
const DENIED = 'this user may not write there'

const WHY: Record<string, string> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'it lies below a file',
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: READ_ONLY,
  // What Linux answers to a folder that is to be made on a read-only file system, several levels deep.
  ENOENT: `it cannot be made, perhaps because ${READ_ONLY}`,
  ENOSPC: 'its disk is full',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead round in a circle',
}

/** Other errors than these stay as they are. */
export function unusableFolder(folder: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why = WHY[code]
  if (why === undefined) return error
  return new Error(`${folder} cannot keep the data: ${why}. Name another folder: --state DIR.`, {
    cause: error,
  })
}
