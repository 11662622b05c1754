// How `npm start` ends, and what remains for the next start.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { newFolder } from '../support/folder.ts'
import { processesWith } from '../support/processes.ts'
import { spawnService, untilReady } from '../support/service-process.ts'
import { eventually } from './eventually.ts'

let folder = ''
let state = ''
beforeEach(async () => {
  folder = await newFolder()
  state = join(folder, 'state')
})

async function start(options: string[] = [], variables = {}) {
  const service = spawnService(state, ['--empty', ...options], variables)
  onTestFinished(() => service.end('SIGKILL'))
  return { service, file: await untilReady(service, state) }
}

/** Starts with code that both threads run when the returned function is called. */
async function startWith(code: string) {
  const [preload, cue] = [join(folder, 'preload.mjs'), join(folder, 'cue')]
  const program = `import { existsSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    const timer = setInterval(() => {
      if (!existsSync(${JSON.stringify(cue)})) return
      clearInterval(timer)
      ${code}
    }, 50).unref()`
  await writeFile(preload, program)
  return { ...(await start([], { NODE_OPTIONS: `--import ${preload}` })), run: () => writeFile(cue, '') }
}

describe('npm start', () => {
  it('ends with status 0 on SIGINT and SIGTERM, keeps its credentials, and creates new ones with --reset', async () => {
    const first = await start()
    first.service.child.kill('SIGINT')
    first.service.child.kill('SIGINT') // The terminal and npm each send one.
    expect(await first.service.ended).toBe(0)

    const second = await start()
    const { baseUrl: _, pid: __, call: ___, ...credentials } = first.file
    expect(second.file).toMatchObject(credentials)
    second.service.child.kill('SIGTERM')
    expect(await second.service.ended).toBe(0)

    const third = await start(['--reset'])
    expect(third.file.adminToken).not.toBe(first.file.adminToken)
  })

  it('starts again on the same state after kill -9 and leaves no database process', async () => {
    const first = await start()
    await first.service.end('SIGKILL')
    await eventually(() => expect(processesWith(state)).toEqual([]))
    const second = await start()
    expect(second.file.adminToken).toBe(first.file.adminToken)
  })

  it('logs an error that nothing handles, in both of its threads, and goes on', async () => {
    const { service, file, run } = await startWith(`Promise.reject(new Error('stray'))`)
    await run()
    await eventually(() => {
      expect(service.err).toContain('error A request left an error behind: Error: stray')
      expect(service.err).toContain('error A worker left an error behind: Error: stray')
    })
    expect((await fetch(`${file.baseUrl}/api/v1/health`)).status).toBe(200)
  })

  it('says that the database has ended, and ends with 1', async () => {
    const { service } = await start()
    for (const pid of processesWith(join(state, 'dynamodb.db'))) process.kill(pid, 'SIGKILL')
    expect(await service.ended).toBe(1)
    expect(service.err).toContain(`The database of ${state} ended unexpectedly, so the service stops.`)
  })

  it('says why the workers have ended, and ends with 1', async () => {
    const { service, run } = await startWith(`if (!isMainThread) throw new Error('broken thread')`)
    await run()
    expect(await service.ended).toBe(1)
    const line = `The workers of ${state} ended unexpectedly, so the service stops. The last words: broken thread`
    expect(service.err).toContain(line)
  })
})
