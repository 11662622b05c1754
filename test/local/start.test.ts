// `npm start` as users and scripts see it: its output, its files, and its errors.
import { readdir, stat } from 'node:fs/promises'
import { get } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { openStart } from './start-world.ts'

/** An address of this machine that other machines can reach. */
const address = Object.values(networkInterfaces())
  .flat()
  .find(address => address?.family === 'IPv4' && !address.internal)?.address

let start: Awaited<ReturnType<typeof openStart>>
beforeAll(async () => {
  start = await openStart()
})
afterAll(() => start.close())

describe('npm start while it runs', () => {
  let service: Awaited<ReturnType<typeof start.runUntilReady>>
  beforeAll(async () => {
    service = await start.runUntilReady()
  })
  afterAll(async () => {
    service.started.child.kill('SIGTERM')
    await service.started.ended
  })

  it('reports address and admin token on two lines and in a private file', async () => {
    const { started, file } = service
    expect(started.out.split('\n').slice(0, 2)).toEqual([
      `Ready: ${file.baseUrl}`,
      `Admin token: ${file.adminToken}`,
    ])
    expect(started.out).toContain(`${file.baseUrl}/docs\n`)
    expect(started.out).toMatch(/Press Ctrl-C to stop\.\n$/)
    expect(file.pid).toBe(started.child.pid)
    expect((await fetch(file.baseUrl)).status).toBe(200)
    expect((await stat(join(start.state, 'service.json'))).mode & 0o777).toBe(0o600)
  })

  it('creates no files that other users can read', async () => {
    const names = ['.', ...(await readdir(start.state, { recursive: true }))]
    expect(names).toEqual(expect.arrayContaining(['dynamodb.db', 'secrets.json', 'service.json', 'queues']))
    const modes = await Promise.all(
      names.map(async name => [name, (await stat(join(start.state, name))).mode] as const),
    )
    expect(modes.filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([])
  })

  it('starts each line of the log on stderr with time and level, and omits debug lines', async () => {
    const { started, file } = service
    const line = ` info Service started at ${file.baseUrl} (process ${file.pid}).`
    await eventually(() => expect(started.err).toContain(line))
    for (const line of started.err.trim().split('\n')) {
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (info|warn|error) /)
    }
  })

  it('locks its state against a second start and against --reset', async () => {
    const { started, file } = service
    for (const options of [[], ['--reset']]) {
      const second = start.run('--port', '0', ...options)
      expect(await second.ended).toBe(1)
      expect(second.err).toContain(`in use by process ${started.child.pid}`)
    }
    expect((await fetch(file.baseUrl)).status).toBe(200)
  })

  it.runIf(address)('cannot be reached from other machines', async () => {
    const { port } = new URL(service.file.baseUrl)
    await expect(statusOf(`http://${address}:${port}`)).rejects.toThrow('ECONNREFUSED')
  })
})

describe('npm start', () => {
  it.runIf(address)('can be reached from other machines by the hosts in --host only', async () => {
    const { started, file } = await start.runUntilReady('--host', `${address}`, '--host', 'build.internal')
    const { port } = new URL(file.baseUrl)
    expect(started.out).toContain(
      `http://${address}:${port}, http://build.internal:${port}: use this only in networks that you trust`,
    )
    const url = `http://${address}:${port}`
    expect(await statusOf(url)).toBe(200)
    expect(await statusOf(url, 'build.internal')).toBe(200)
    expect(await statusOf(file.baseUrl)).toBe(200)
    expect(await statusOf(url, 'evil.example')).toBe(421)
  })

  it('rejects an unknown option and mentions --help', async () => {
    const { ended, err } = await ending(start.run('--colour', 'red'))
    expect(ended).toBe(1)
    expect(err).toContain('--colour')
    expect(err).toContain('--help')
  })

  it('prints all options with --help and starts nothing', async () => {
    const state = join(start.folder, 'none')
    const { ended, out } = await ending(start.run('--help', '--state', state))
    expect(ended).toBe(0)
    const names = [
      'port',
      'host',
      'log-level',
      'state',
      'empty',
      'import',
      'reset',
      'limit-scale',
      'strict-addresses',
    ]
    for (const name of names) expect(out).toContain(`--${name}`)
    expect(await readdir(start.folder)).not.toContain('none')
  })
})

function statusOf(url: string, host?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host }
    get(url, { headers, agent: false }, answer => resolve(answer.resume().statusCode)).on('error', reject)
  })
}

async function ending(started: ReturnType<typeof start.run>) {
  return { ended: await started.ended, out: started.out, err: started.err }
}
