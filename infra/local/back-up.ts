// Copies a state to another folder, also while its service runs: databases as of one moment each.
import { existsSync, globSync } from 'node:fs'
import { copyFile, cp, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { pathsIn } from './state.ts'

/** The copy has another name until it is complete. Rejects if `to` exists. */
export async function backUpState(folder: string, to: string): Promise<void> {
  const draft = `${to}.partial`
  await rm(draft, { recursive: true, force: true })
  try {
    await copyState(folder, draft)
    await rename(draft, to)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function copyState(folder: string, draft: string): Promise<void> {
  const state = pathsIn(folder)
  const copy = pathsIn(draft)
  await mkdir(draft, { recursive: true, mode: 0o700 })
  for (const name of databasesIn(state)) await copyDatabase(join(folder, name), join(draft, name))
  if (existsSync(state.mailFolder)) await cp(state.mailFolder, copy.mailFolder, { recursive: true })
  await copyFile(state.secretsFile, copy.secretsFile)
  await copyFile(state.formatFile, copy.formatFile)
}

/**
 * The queues come first: a message that was handled before the table was copied is found done there, and one
 * that was sent later has its row in the outbox.
 */
function databasesIn({ folder, queuesFolder, databaseFile }: ReturnType<typeof pathsIn>): string[] {
  const [queues, database] = [basename(queuesFolder), basename(databaseFile)]
  // DynamoDB Local has a folder of its own.
  const patterns = [`${queues}/*.db`, database, `${database}-aws/*.db`]
  return patterns.flatMap(pattern => globSync(pattern, { cwd: folder }))
}

/** Its log is part of the copy. */
async function copyDatabase(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    await backup(database, to)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${basename(from)} could not be copied (${reason}). Stop the service and try again.`)
  } finally {
    database.close()
  }
}
