// A lock between processes that the operating system lets go of when its holder ends, however it ends.
import { DatabaseSync } from 'node:sqlite'

export type Release = () => void

const BUSY = 5

/**
 * Undefined when somebody holds the lock. Node has no flock, SQLite does: an open exclusive transaction is the lock,
 * and the file stays empty. Nothing else may open the file (closing it would let go of a POSIX lock).
 */
export function tryLock(file: string): Release | undefined {
  const database = new DatabaseSync(file)
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return undefined
    throw error
  }
  return () => {
    if (database.isOpen) database.close()
  }
}
