// `npm start` as users and scripts see it: its output, its files, and its errors.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { get } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newFolder } from '../support/folder.ts'
import { type ServiceProcess, spawnService, untilReady } from '../support/service-process.ts'
import { eventually } from './eventually.ts'

/** An address of this machine that other machines can reach. */
const address = Object.values(networkInterfaces())
  .flat()
  .find(address => address?.family === 'IPv4' && !address.internal)?.address

describe('npm start while it runs', () => {
  let state = ''
  let started: ServiceProcess
  let file: Awaited<ReturnType<typeof untilReady>>
  beforeAll(async () => {
    state = join(await mkdtemp(join(tmpdir(), 'start-')), 'state')
    started = spawnService(state, ['--empty'])
    file = await untilReady(started, state)
    return async () => {
      await started.end('SIGTERM')
      await rm(dirname(state), { recursive: true })
    }
  })

  it('reports address and admin token on two lines and in a private file', async () => {
    expect(started.out.split('\n').slice(0, 2)).toEqual([
      `Ready: ${file.baseUrl}`,
      `Admin token: ${file.adminToken}`,
    ])
    expect(started.out).toContain(`${file.baseUrl}/docs\n`)
    expect(started.out).toMatch(/Press Ctrl-C to stop\.\n$/)
    expect(file.pid).toBe(started.child.pid)
    expect((await fetch(file.baseUrl)).status).toBe(200)
    expect((await stat(join(state, 'service.json'))).mode & 0o777).toBe(0o600)
  })

  it('creates no files that other users can read', async () => {
    const names = ['.', ...(await readdir(state, { recursive: true }))]
    expect(names).toEqual(expect.arrayContaining(['dynamodb.db', 'secrets.json', 'service.json', 'queues']))
    const modes = await Promise.all(
      names.map(async name => [name, (await stat(join(state, name))).mode] as const),
    )
    expect(modes.filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([])
  })

  it('starts each line of the log on stderr with time and level, and omits debug lines', async () => {
    const line = ` info Service started at ${file.baseUrl} (process ${file.pid}).`
    await eventually(() => expect(started.err).toContain(line))
    for (const line of started.err.trim().split('\n')) {
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (info|warn|error) /)
    }
  })

  it('locks its state against a second start and against --reset', async () => {
    for (const options of [[], ['--reset']]) {
      const second = spawnService(state, ['--empty', ...options])
      expect(await second.ended).toBe(1)
      expect(second.err).toContain(`in use by process ${started.child.pid}`)
    }
    expect((await fetch(file.baseUrl)).status).toBe(200)
  })

  it.runIf(address)('cannot be reached from other machines', async () => {
    const { port } = new URL(file.baseUrl)
    await expect(statusOf(`http://${address}:${port}`)).rejects.toThrow('ECONNREFUSED')
  })
})

describe('npm start', () => {
  it.runIf(address)('can be reached from other machines by the hosts in --host only', async () => {
    const state = await newFolder()
    const started = spawnService(state, ['--empty', '--host', `${address}`, '--host', 'build.internal'])
    onTestFinished(() => started.end('SIGKILL'))
    const file = await untilReady(started, state)
    const { port } = new URL(file.baseUrl)
    const url = `http://${address}:${port}`
    expect(await statusOf(url)).toBe(200)
    expect(await statusOf(url, 'build.internal')).toBe(200)
    expect(await statusOf(file.baseUrl)).toBe(200)
    expect(await statusOf(url, 'evil.example')).toBe(421)
  })

  it('rejects an unknown option and mentions --help', async () => {
    const started = spawnService(await newFolder(), ['--colour', 'red'])
    expect(await started.ended).toBe(1)
    expect(started.err).toContain('--colour')
    expect(started.err).toContain('--help')
  })

  it('prints all options with --help and starts nothing', async () => {
    const folder = await newFolder()
    const started = spawnService(join(folder, 'none'), ['--help'])
    expect(await started.ended).toBe(0)
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
    for (const name of names) expect(started.out).toContain(`--${name}`)
    expect(await readdir(folder)).toEqual([])
  })
})

function statusOf(url: string, host?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host }
    get(url, { headers, agent: false }, answer => resolve(answer.resume().statusCode)).on('error', reject)
  })
}
