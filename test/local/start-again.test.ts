// How `npm start` ends, and what remains for the next start.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { commandLineOf } from '../../infra/local/processes.ts'
import { eventually } from './eventually.ts'
import { openStart } from './start-world.ts'

let start: Awaited<ReturnType<typeof openStart>>
beforeEach(async () => {
  start = await openStart()
  return () => start.close()
})

describe('npm start', () => {
  it('ends with status 0 on SIGINT and SIGTERM, keeps its credentials, and creates new ones with --reset', async () => {
    const first = await start.runUntilReady()
    first.started.child.kill('SIGINT')
    first.started.child.kill('SIGINT') // The terminal and npm each send one.
    expect(await first.started.ended).toBe(0)

    const second = await start.runUntilReady()
    const { baseUrl: _, pid: __, ...credentials } = first.file
    expect(second.file).toMatchObject(credentials)
    second.started.child.kill('SIGTERM')
    expect(await second.started.ended).toBe(0)

    const third = await start.runUntilReady('--reset')
    expect(third.file.adminToken).not.toBe(first.file.adminToken)
  })

  it('ends on SIGINT even if a function hangs in native code, and starts again', async () => {
    await start.writeFunction(
      `export const handler = () => {
        console.log('begins')
        return ('a' + '\u0300'.repeat(9e6) + '\u0316'.repeat(9e6)).normalize()
      }`,
    )
    const { started, file } = await start.runUntilReady()
    void fetch(`${file.baseUrl}/calls`).catch(() => {})
    await eventually(() => expect(started.err).toContain('begins'))
    started.child.kill('SIGINT')
    await started.ended
    expect(started.err).toContain('by force')
    await start.runUntilReady()
  })

  it('starts again on the same state after kill -9 and leaves no database process', async () => {
    const first = await start.runUntilReady()
    const { databasePid } = JSON.parse(await readFile(join(start.state, 'lock'), 'utf8'))
    first.started.child.kill('SIGKILL')
    await first.started.ended
    const second = await start.runUntilReady()
    expect(second.file.adminToken).toBe(first.file.adminToken)
    expect(await commandLineOf(databasePid)).not.toContain(start.state)
  })
})

describe('npm start -- --log FILE', () => {
  it('says on the terminal, once and with the folder, that the disk is full', async () => {
    await start.writeFunction(
      `export const handler = () => {
        console.log(JSON.stringify({ level: 'error', error: 'commit failed (backend: database or disk is full)' }))
        return {}
      }`,
    )
    const log = join(start.folder, 'service.log')
    const { started, file } = await start.runUntilReady('--log', log)
    const failures = async () => (await readFile(log, 'utf8')).match(/disk is full/g)?.length ?? 0
    for (let request = 0; request < 2; request++) {
      const before = await failures()
      await fetch(`${file.baseUrl}/calls`)
      await eventually(async () => expect(await failures()).toBeGreaterThan(before))
    }
    expect(started.err).toBe(
      `The disk of ${start.state} is full, so nothing can be stored. Free some space there, or use another folder: --state DIR.\n`,
    )
  })

  it('says on the terminal that the database has ended, and ends with 1', async () => {
    const { started } = await start.runUntilReady('--log', join(start.folder, 'service.log'))
    const { databasePid } = JSON.parse(await readFile(join(start.state, 'lock'), 'utf8'))
    process.kill(databasePid, 'SIGKILL')
    expect(await started.ended).toBe(1)
    expect(started.err).toBe(
      `The database of ${start.state} ended unexpectedly, so the service stops. Start it again.\n`,
    )
  })
})
