// The lock of the state folder: one process at a time, and the cleanup after a killed process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../infra/local/addresses.ts'
import { findEmulator } from '../../infra/local/dynamodb/emulator.ts'
import { commandLineOf } from '../../infra/local/processes.ts'
import { openState, StateInUseError, writeJsonAtomically } from '../../infra/local/state.ts'
import { eventually } from './eventually.ts'
import { newStateFolder, openUntilEnd } from './state-world.ts'

const stateFile = new URL('../../infra/local/state.ts', import.meta.url).href

let folder = ''
beforeEach(async () => {
  folder = await newStateFolder()
})
function open() {
  return openUntilEnd(folder)
}

/** Starts another process that holds the lock until it is killed. */
async function lockInOtherProcess() {
  const script = `
    const { openState } = await import(${JSON.stringify(stateFile)})
    globalThis.held = await openState(${JSON.stringify(folder)})
    process.stdout.write('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

/** A process that does not belong to the service. */
function startUnrelated() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

describe('openState', () => {
  it('rejects a second process with the id of its holder', async () => {
    const holder = await lockInOtherProcess()
    await expect(openState(folder)).rejects.toThrow(StateInUseError)
    await expect(openState(folder, { reset: true })).rejects.toThrow(`process ${holder.pid}`)
  })

  it('records the process ids of the service and its database', async () => {
    const state = await open()
    await state.recordDatabase(4711)
    const lock = JSON.parse(await readFile(join(folder, 'lock'), 'utf8'))
    expect(lock).toEqual({ pid: process.pid, databasePid: 4711 })
  })

  it('opens a state whose holder was killed', async () => {
    const holder = await lockInOtherProcess()
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    await expect(open()).resolves.toMatchObject({ folder })
  })

  it('opens a state after its release', async () => {
    await (await openState(folder)).release()
    await open()
    expect(await readdir(folder)).toContain('lock')
  })

  it('does not end an unrelated process with the id of a process of the last run', async () => {
    const other = startUnrelated()
    await writeJsonAtomically(join(folder, 'lock'), { pid: other.pid, databasePid: other.pid })
    await open()
    expect(await commandLineOf(other.pid ?? 0)).toContain('setInterval')
  })

  it('ends a leftover database of the last run', async () => {
    const file = join(folder, 'dynamodb.db')
    const dynamodb = await findEmulator()
    await mkdir(dynamodb.folderFor(file), { recursive: true })
    const leftover = spawn(dynamodb.command, dynamodb.args(await freePort(), file), { stdio: 'ignore' })
    onTestFinished(() => void leftover.kill('SIGKILL'))
    await eventually(async () => expect(await commandLineOf(leftover.pid ?? 0)).toContain(file))
    await writeJsonAtomically(join(folder, 'lock'), { pid: 1, databasePid: leftover.pid })
    await open()
    expect(await commandLineOf(leftover.pid ?? 0)).toBe('')
  })
})
