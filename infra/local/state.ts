// The folder with the data of a local run, and the lock that allows one process at a time to use it.
import { existsSync } from 'node:fs'
import { access, constants, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { type Release, tryLock } from './file-lock.ts'
import { makePrivate, writeAtomically } from './private-files.ts'
import { endProcess } from './processes.ts'
import { checkFormat, ownFormat } from './state-format.ts'
import { unusableFolder } from './unusable-folder.ts'

export type State = {
  folder: string
  databaseFile: string
  queuesFolder: string
  mailFolder: string
  secretsFile: string
  serviceFile: string
  /** The service file of the last run. `release` renames it; after a killed run the next start does. */
  lastServiceFile: string
  /** Writes the database's process id into the lock, so that the next start can end a leftover database. */
  recordDatabase(pid: number | undefined): Promise<void>
  /** Allows the next process to use the folder. */
  release(): Promise<void>
}

/** Another process uses the folder. The message contains its id. */
export class StateInUseError extends Error {
  override name = 'StateInUseError'
}

const lockFile = z.object({ pid: z.number(), databasePid: z.optional(z.number()) })

/** `reset` deletes the data first. Throws StateInUseError, or another error if the folder is unusable. */
export async function openState(dir: string, { reset = false } = {}): Promise<State> {
  const folder = resolve(dir)
  const state = pathsIn(folder)
  if (!reset) await checkFormat(folder, state.formatFile)
  try {
    await createFolder(folder)
    await access(folder, constants.W_OK)
    await makePrivate(folder, [...dataPathsIn(state), state.lockFile, state.systemLockFile])
  } catch (error) {
    throw unusableFolder(folder, error)
  }
  const unlock = tryLock(state.systemLockFile)
  if (!unlock) throw await inUseError(folder, state.lockFile)
  try {
    await endLeftoverDatabase(state.lockFile, state.databaseFile)
    await endServiceFile(state)
    if (reset) await removeData(state)
    await writeJsonAtomically(state.formatFile, ownFormat)
    await writeJsonAtomically(state.lockFile, { pid: process.pid })
  } catch (error) {
    unlock()
    throw error
  }
  return {
    ...state,
    recordDatabase: databasePid => writeJsonAtomically(state.lockFile, { pid: process.pid, databasePid }),
    release: () => release(state, unlock),
  }
}

/** Not `recursive`: Node never ends that if a parent exists and answers ENOENT, as /proc and autofs do. */
async function createFolder(folder: string): Promise<void> {
  const parent = dirname(folder)
  if (!existsSync(parent)) await createFolder(parent)
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    const stats = await stat(folder).catch(() => undefined)
    if (!stats?.isDirectory()) throw error
  }
}

export function writeJsonAtomically(file: string, content: unknown): Promise<void> {
  return writeAtomically(file, `${JSON.stringify(content, undefined, 2)}\n`)
}

/** The files and folders of a state. */
export function pathsIn(folder: string) {
  return {
    folder,
    lockFile: join(folder, 'lock'),
    systemLockFile: join(folder, 'lock.sqlite'),
    databaseFile: join(folder, 'dynamodb.db'),
    queuesFolder: join(folder, 'queues'),
    mailFolder: join(folder, 'mail'),
    secretsFile: join(folder, 'secrets.json'),
    serviceFile: join(folder, 'service.json'),
    lastServiceFile: join(folder, 'last-service.json'),
    formatFile: join(folder, 'format.json'),
  }
}

/** Only the files of a run, because the folder may contain other files. */
function dataPathsIn(state: ReturnType<typeof pathsIn>): string[] {
  const { databaseFile, queuesFolder, mailFolder, secretsFile, lastServiceFile, formatFile } = state
  const databaseFiles = ['', '-wal', '-shm', '-journal', '-aws'].map(ending => databaseFile + ending)
  return [...databaseFiles, queuesFolder, mailFolder, secretsFile, lastServiceFile, formatFile]
}

async function removeData(state: ReturnType<typeof pathsIn>) {
  for (const path of dataPathsIn(state)) await rm(path, { recursive: true, force: true })
}

function ignoreMissing(error: NodeJS.ErrnoException) {
  if (error.code !== 'ENOENT') throw error
}

/** Whether the folder contains the data of a run, or a run is just starting in it. */
export async function isStateFolder(dir: string): Promise<boolean> {
  const { secretsFile, lockFile } = pathsIn(resolve(dir))
  const results = await Promise.allSettled([stat(secretsFile), stat(lockFile)])
  return results.some(({ status }) => status === 'fulfilled')
}

async function release(state: ReturnType<typeof pathsIn>, unlock: Release): Promise<void> {
  try {
    await endServiceFile(state)
    await rm(state.lockFile, { force: true })
  } finally {
    unlock()
  }
}

/** The service file exists only while the service answers. */
async function endServiceFile({ serviceFile, lastServiceFile }: ReturnType<typeof pathsIn>): Promise<void> {
  await rename(serviceFile, lastServiceFile).catch(ignoreMissing)
}

/** The last service has ended, because this process holds the lock. Its database may still use the file. */
async function endLeftoverDatabase(file: string, databaseFile: string): Promise<void> {
  const last = await readLock(file)
  if (last?.databasePid) await endProcess(last.databasePid, databaseFile)
}

async function inUseError(folder: string, file: string): Promise<StateInUseError> {
  const holder = await readLock(file)
  const who = holder ? `process ${holder.pid}` : 'another process'
  return new StateInUseError(
    `${folder} is in use by ${who}. Stop that process, or use another folder: --state DIR.`,
  )
}

async function readLock(file: string): Promise<z.infer<typeof lockFile> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  try {
    return lockFile.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
