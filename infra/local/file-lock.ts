// A lock between processes. The operating system releases it when its holder ends, even by a crash.
import { DatabaseSync } from 'node:sqlite'

export type Release = () => void

const BUSY = 5

/**
 * Undefined if another process holds the lock. It is an open SQLite transaction, because Node has no flock.
 * Nothing else may open the file: closing any handle of it releases the POSIX locks of this process.
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
