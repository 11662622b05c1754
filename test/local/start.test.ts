// `npm start` as its users and scripts meet it: what it prints, keeps and refuses.
import { readdir, stat } from 'node:fs/promises'
import { get } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from './eventually.ts'
import { openStart } from './start-world.ts'

/** One at which other machines reach this one. */
const address = Object.values(networkInterfaces())
  .flat()
  .find(each => each?.family === 'IPv4' && !each.internal)?.address

let start: Awaited<ReturnType<typeof openStart>>
beforeAll(async () => {
  start = await openStart()
})
afterAll(() => start.close())

describe('npm start, while it runs', () => {
  let service: Awaited<ReturnType<typeof start.runUntilReady>>
  beforeAll(async () => {
    const levels = ['debug', 'info', 'warn', 'error']
    const lines = levels.map(
      level => `console.log(JSON.stringify({ level: '${level}', message: 'of ${level}' }))`,
    )
    await start.writeFunction(
      `export const handler = () => { ${lines.join('; ')}; console.error('Oh no'); return {} }`,
    )
    service = await start.runUntilReady()
  })
  afterAll(async () => {
    service.started.child.kill('SIGTERM')
    await service.started.ended
  })

  it('says where it is and how to get in, on two lines and in a private file', async () => {
    const { started, file } = service
    expect(started.out.split('\n').slice(0, 2)).toEqual([
      `Ready: ${file.baseUrl}`,
      `Admin token: ${file.adminToken}`,
    ])
    expect(started.out).toContain(`${file.baseUrl}/docs\n`)
    expect(file.pid).toBe(started.child.pid)
    expect((await fetch(file.baseUrl)).status).toBe(200)
    expect((await stat(join(start.state, 'service.json'))).mode & 0o777).toBe(0o600)
  })

  it('keeps nothing that another user may read', async () => {
    const names = ['.', ...(await readdir(start.state, { recursive: true }))]
    expect(names).toEqual(expect.arrayContaining(['dynamodb.db', 'secrets.json', 'service.json', 'queues']))
    const modes = await Promise.all(
      names.map(async name => [name, (await stat(join(start.state, name))).mode] as const),
    )
    expect(modes.filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([])
  })

  it('begins each line of the log with its time and level, and leaves out what is for debugging', async () => {
    const { started, file } = service
    await fetch(`${file.baseUrl}/calls`)
    await eventually(() => expect(started.err).toContain('Oh no'))
    const lines = started.err.trim().split('\n')
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (info|warn|error) /)
    expect(ofCall(lines)).toEqual(
      expect.arrayContaining(['info of info', 'warn of warn', 'error of error', 'error Oh no']),
    )
    expect(ofCall(lines)).not.toContain('debug of debug')
  })

  it('has its state to itself: nobody starts on it, nor resets it', async () => {
    const { started, file } = service
    for (const options of [[], ['--reset']]) {
      const second = start.run('--port', '0', ...options)
      expect(await second.ended).toBe(1)
      expect(second.err).toContain(`in use by process ${started.child.pid}`)
    }
    expect((await fetch(file.baseUrl)).status).toBe(200)
  })

  it('has its port to itself, and whoever wants it is told so', async () => {
    const { port } = new URL(service.file.baseUrl)
    const second = start.run('--port', port, '--state', join(start.folder, 'other'))
    expect(await second.ended).toBe(1)
    expect(second.err).toContain(`Port ${port}`)
  })

  it.runIf(address)('is not reached from other machines', async () => {
    const { port } = new URL(service.file.baseUrl)
    await expect(statusOf(`http://${address}:${port}`)).rejects.toThrow('ECONNREFUSED')
  })
})

describe('npm start', () => {
  it.runIf(address)('is reached by others where --host says so, under the names that it says', async () => {
    const { started, file } = await start.runUntilReady('--host', `${address}`, '--host', 'build.internal')
    const { port } = new URL(file.baseUrl)
    expect(started.out).toContain(
      `http://${address}:${port}, http://build.internal:${port}: only in networks that you trust`,
    )
    const url = `http://${address}:${port}`
    expect(await statusOf(url)).toBe(200)
    expect(await statusOf(url, 'build.internal')).toBe(200)
    expect(await statusOf(file.baseUrl)).toBe(200)
    expect(await statusOf(url, 'evil.example')).toBe(421)
  })

  it('says that it listens on all addresses with a name alone, and that its database is not private', async () => {
    // Without `unshare` it has no network of its own for the database.
    vi.stubEnv('PATH', '/nowhere')
    onTestFinished(() => void vi.unstubAllEnvs())
    const state = join(start.folder, 'exposed')
    const started = start.run('--port', '0', '--state', state, '--host', 'build.internal')
    await eventually(() => expect(started.out).toContain('only in networks that you trust'))
    expect(started.out).toMatch(/^It listens on all addresses of this machine, since a name does not say/m)
    expect(started.out).toMatch(/^Warning: Other users of this machine can read and write the data/m)
  })

  it('says so when the log cannot be written', async () => {
    const { ended, err } = await ending(start.run('--log', join(start.folder, 'no', 'log')))
    expect(ended).toBe(1)
    expect(err).toContain('The log cannot be written to')
  })

  it('refuses what it does not know, and says where the options are', async () => {
    const { ended, err } = await ending(start.run('--colour', 'red'))
    expect(ended).toBe(1)
    expect(err).toContain('--colour')
    expect(err).toContain('--help')
  })

  it('explains its options, and starts nothing', async () => {
    const state = join(start.folder, 'none')
    const { ended, out } = await ending(start.run('--help', '--state', state))
    expect(ended).toBe(0)
    const names = [
      'port',
      'host',
      'log',
      'log-level',
      'state',
      'empty',
      'reset',
      'limit-scale',
      'strict-addresses',
    ]
    for (const name of names) expect(out).toContain(`--${name}`)
    expect(await readdir(start.folder)).not.toContain('none')
  })
})

/** The level and text of each line that the function printed. */
function ofCall(lines: string[]): string[] {
  return lines.flatMap(
    line => /Z (\w+) everything: .*?(of \w+|Oh no)/i.exec(line)?.slice(1, 3).join(' ') ?? [],
  )
}

function statusOf(url: string, host?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host }
    get(url, { headers, agent: false }, answer => resolve(answer.resume().statusCode)).on('error', reject)
  })
}

async function ending(started: ReturnType<typeof start.run>) {
  return { ended: await started.ended, out: started.out, err: started.err }
}
