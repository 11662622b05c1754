// Lets the emulator of queues commit without waiting for the disk, which takes longer than all its work.
import { DatabaseSync } from 'node:sqlite'

/**
 * For every database that this thread opens. A killed process loses nothing. A power cut may lose the last
 * commits: the outbox sends lost messages again, and a doubled one is handled once.
 */
export function commitQuickly(): void {
  const { exec } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    exec.call(this, sql)
    if (sql.includes('journal_mode = WAL')) exec.call(this, 'PRAGMA synchronous = NORMAL')
  }
}
