// How `npm start` ends, and what remains for the next start.
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { processesWith } from '../support/processes.ts'
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

  it('starts again on the same state after kill -9 and leaves no database process', async () => {
    const first = await start.runUntilReady()
    first.started.child.kill('SIGKILL')
    await first.started.ended
    await eventually(() => expect(processesWith(start.state)).toEqual([]))
    const second = await start.runUntilReady()
    expect(second.file.adminToken).toBe(first.file.adminToken)
  })

  it('logs an error that nothing handles, in both of its threads, and goes on', async () => {
    const cue = await start.prepare(`Promise.reject(new Error('stray'))`)
    const { started, file } = await start.runUntilReady()
    await cue()
    await eventually(() => {
      expect(started.err).toContain('error A request left an error behind: Error: stray')
      expect(started.err).toContain('error A worker left an error behind: Error: stray')
    })
    expect((await fetch(`${file.baseUrl}/api/v1/health`)).status).toBe(200)
  })

  it('says that the database has ended, and ends with 1', async () => {
    const { started } = await start.runUntilReady()
    for (const pid of processesWith(join(start.state, 'dynamodb.db'))) process.kill(pid, 'SIGKILL')
    expect(await started.ended).toBe(1)
    expect(started.err).toContain(`The database of ${start.state} ended unexpectedly, so the service stops.`)
  })

  it('says why the workers have ended, and ends with 1', async () => {
    const cue = await start.prepare(`if (!isMainThread) throw new Error('broken thread')`)
    const { started } = await start.runUntilReady()
    await cue()
    expect(await started.ended).toBe(1)
    const line = `The workers of ${start.state} ended unexpectedly, so the service stops. The last words: broken thread`
    expect(started.err).toContain(line)
  })
})
