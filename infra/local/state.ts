// The folder with the data of a local run: private, of one format, and used by one process at a time.
import { existsSync } from 'node:fs'
import { access, chmod, constants, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod/mini'
import manifest from '../../package.json' with { type: 'json' }

export type State = ReturnType<typeof pathsIn> & {
  /** Allows the next process to use the folder. */
  release(): Promise<void>
}

/** Another process uses the folder. The message contains the id of a running service. */
export class StateInUseError extends Error {}

/** `reset` deletes the data first. Throws StateInUseError, or another error if the folder is unusable. */
export async function openState(dir: string, { reset = false } = {}): Promise<State> {
  const folder = resolve(dir)
  const state = pathsIn(folder)
  if (!reset) await checkFormat(folder, state.formatFile)
  try {
    await createFolder(folder)
    await access(folder, constants.W_OK)
    await chmod(folder, 0o700)
  } catch (error) {
    throw unusableFolder(folder, error)
  }
  const unlock = tryLock(state.lockFile)
  if (!unlock) throw await inUseError(folder, state.serviceFile)
  try {
    await rm(state.serviceFile, { force: true })
    if (reset) await removeData(state)
    await writeJsonAtomically(state.formatFile, { format: FORMAT, version: manifest.version })
  } catch (error) {
    unlock()
    throw error
  }
  return {
    ...state,
    async release() {
      try {
        await rm(state.serviceFile, { force: true })
      } finally {
        unlock()
      }
    },
  }
}

/** The files and folders of a state. */
export function pathsIn(folder: string) {
  return {
    folder,
    lockFile: join(folder, 'lock.sqlite'),
    databaseFile: join(folder, 'dynamodb.db'),
    queuesFolder: join(folder, 'queues'),
    mailFolder: join(folder, 'mail'),
    secretsFile: join(folder, 'secrets.json'),
    /** Exists only while the service answers; after a killed run until the next start. */
    serviceFile: join(folder, 'service.json'),
    formatFile: join(folder, 'format.json'),
  }
}

/** Whether the folder contains the data of a run, or a run is just starting in it. */
export function isStateFolder(dir: string): boolean {
  const { secretsFile, lockFile } = pathsIn(resolve(dir))
  return existsSync(secretsFile) || existsSync(lockFile)
}

/** Only the files of a run, because the folder may contain other files. */
async function removeData(state: ReturnType<typeof pathsIn>) {
  const { databaseFile, queuesFolder, mailFolder, secretsFile, formatFile } = state
  const databaseFiles = ['', '-wal', '-shm', '-journal', '-aws'].map(ending => databaseFile + ending)
  for (const path of [...databaseFiles, queuesFolder, mailFolder, secretsFile, formatFile]) {
    await rm(path, { recursive: true, force: true })
  }
}

/** Increment this when the previous version cannot read what this one writes, or this one what that wrote. */
const FORMAT = 6
const FormatFile = z.object({ format: z.int(), version: z.string() })

/** Throws if the state has another format. A new folder has no file. */
async function checkFormat(folder: string, file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const { format, version } = FormatFile.parse(JSON.parse(text))
  if (format === FORMAT) return
  const use = `Use version ${version}${format > FORMAT ? ' or newer' : ''}, or another folder: --state DIR.`
  throw new Error(
    `${folder} was written by version ${version} of this service, and this version (${manifest.version}) cannot read it. ${use}`,
  )
}

/** Applies to new files of this process and of its child processes: only this user can use them. */
export function setPrivateUmask(): void {
  process.umask(0o077)
}

export function writeJsonAtomically(file: string, content: unknown): Promise<void> {
  return writeAtomically(file, `${JSON.stringify(content, undefined, 2)}\n`)
}

/** Writes so that a reader sees the old or the new content. Only this user can read the file. */
export async function writeAtomically(file: string, content: string | Buffer): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    await writeFile(draft, content, { mode: 0o600 })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
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

/** The reason is that of the system, such as `ENOSPC: no space left on device`. */
function unusableFolder(folder: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new Error(`Cannot keep the data in ${folder} (${reason}). Use another folder: --state DIR.`, {
    cause,
  })
}

const BUSY = 5

/** Returns the release of a lock between processes, or undefined if it is held. A crash releases it. */
function tryLock(file: string): (() => void) | undefined {
  // An open transaction, because Node has no flock. Nothing else may open the file: closing any handle of it
  // releases the POSIX locks of this process.
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

const ServiceFile = z.object({ pid: z.number() })

/** A service that is just starting has not written its id yet. */
async function inUseError(folder: string, serviceFile: string): Promise<StateInUseError> {
  const who = await readFile(serviceFile, 'utf8').then(
    text => `process ${ServiceFile.parse(JSON.parse(text)).pid}`,
    () => 'another process',
  )
  return new StateInUseError(
    `${folder} is in use by ${who}. Stop that process, or use another folder: --state DIR.`,
  )
}
