// The folder in which a local run keeps its data, and the lock that gives it to one process at a time.
import { access, constants, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { type Release, tryLock } from './file-lock.ts'
import { makePrivate } from './private-files.ts'
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
  /** What a service that is gone had in its file. */
  lastServiceFile: string
  /** Notes the database's process in the lock, so that a later start can end it if nobody else did. */
  recordDatabase(pid: number | undefined): Promise<void>
  /** Gives the folder to the next process. */
  release(): Promise<void>
}

/** Another process holds the folder; the message says which. */
export class StateInUseError extends Error {
  override name = 'StateInUseError'
}

const lockFile = z.object({ pid: z.number(), databasePid: z.optional(z.number()) })

/** `reset` deletes what the folder keeps. Throws StateInUseError while another process holds it, or says why the folder cannot be used. */
export async function openState(dir: string, { reset = false } = {}): Promise<State> {
  const folder = resolve(dir)
  const state = pathsIn(folder)
  if (!reset) await checkFormat(folder, state.formatFile)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    await makePrivate(folder, [...dataPathsIn(state), state.lockFile, state.systemLockFile])
  } catch (error) {
    throw unusableFolder(folder, error)
  }
  const unlock = tryLock(state.systemLockFile)
  if (!unlock) throw await inUseError(folder, state.lockFile)
  try {
    await endLeftoverDatabase(state.lockFile, state.databaseFile)
    // Whoever finds this file finds a service that answers.
    await rename(state.serviceFile, state.lastServiceFile).catch(ignoreMissing)
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
    release: () => release(state.lockFile, unlock),
  }
}

/** Writes JSON that a reader sees whole or not at all, readable by this user only. */
export async function writeJsonAtomically(file: string, content: unknown): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  await writeFile(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 })
  await rename(draft, file)
}

function pathsIn(folder: string) {
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

/** Only what a run puts there: the folder may be one that somebody else uses too. */
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

/** Whether a run has ever kept its data in the folder, or one is just beginning to. */
export async function isStateFolder(dir: string): Promise<boolean> {
  const { secretsFile, lockFile } = pathsIn(resolve(dir))
  const found = await Promise.allSettled([stat(secretsFile), stat(lockFile)])
  return found.some(({ status }) => status === 'fulfilled')
}

async function release(lockFile: string, unlock: Release): Promise<void> {
  await rm(lockFile, { force: true })
  unlock()
}

/** The lock is ours, so the last service is gone; its database may have been left behind and must not share the file. */
async function endLeftoverDatabase(file: string, databaseFile: string): Promise<void> {
  const last = await readLock(file)
  if (last?.databasePid) await endProcess(last.databasePid, databaseFile)
}

async function inUseError(folder: string, file: string): Promise<StateInUseError> {
  const holder = await readLock(file)
  const who = holder ? `process ${holder.pid}` : 'another process'
  return new StateInUseError(
    `${folder} is in use by ${who}. Stop that one first, or keep this one's state elsewhere: --state DIR.`,
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
