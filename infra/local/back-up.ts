// Copies a state to another folder, also while its service runs: databases as of one moment each.
import { copyFile, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { pathsIn } from './state.ts'

/** Thrown for a folder that exists: a backup never replaces another one. */
export class FolderExists extends Error {}

/**
 * The queues come first: a message that was handled before the table was copied is found done there, and one
 * that was sent later has its row in the outbox. The copy has another name until it is complete.
 */
export async function backUpState(folder: string, to: string): Promise<void> {
  if (await exists(to)) throw new FolderExists(to)
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
  await copyDatabases(state.queuesFolder, copy.queuesFolder)
  await copyDatabases(state.databaseFile, copy.databaseFile)
  // The folder of DynamoDB Local.
  await copyDatabases(`${state.databaseFile}-aws`, `${copy.databaseFile}-aws`)
  if (await exists(state.mailFolder)) await cp(state.mailFolder, copy.mailFolder, { recursive: true })
  await copyFile(state.secretsFile, copy.secretsFile)
  await copyFile(state.formatFile, copy.formatFile)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

/** A database, or those in a folder. Their logs are part of the copies. */
async function copyDatabases(from: string, to: string): Promise<void> {
  const stats = await stat(from).catch(() => undefined)
  if (!stats) return
  const names = stats.isDirectory() ? (await readdir(from)).filter(name => name.endsWith('.db')) : ['']
  await mkdir(stats.isDirectory() ? to : dirname(to), { recursive: true, mode: 0o700 })
  for (const name of names) await copyDatabase(join(from, name), join(to, name))
}

async function copyDatabase(from: string, to: string): Promise<void> {
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
