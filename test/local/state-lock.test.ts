// What a start does about the processes of a service that was killed.
import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../infra/local/addresses.ts'
import { findEmulator } from '../../infra/local/dynamodb/emulator.ts'
import { commandLineOf } from '../../infra/local/processes.ts'
import { writeJsonAtomically } from '../../infra/local/state.ts'
import { eventually } from './eventually.ts'
import { newStateFolder, openUntilEnd } from './state-world.ts'

let folder = ''
beforeEach(async () => {
  folder = await newStateFolder()
})
function open() {
  return openUntilEnd(folder)
}

describe('openState', () => {
  it('does not end an unrelated process with the id of a process of the last run', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    onTestFinished(() => void other.kill('SIGKILL'))
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
