// `npm start` as its users and scripts meet it: what it prints, keeps, refuses, and how it ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { commandLineOf } from '../../infra/local/processes.ts'
import { eventually } from './eventually.ts'
import { writeSmallStack } from './small-stack.ts'

const serviceFile = z.object({
  baseUrl: z.url(),
  adminToken: z.string(),
  userToken: z.string(),
  email: z.string(),
  password: z.string(),
  pid: z.number(),
})

const startFile = new URL('../../infra/local/start.ts', import.meta.url).pathname

/** One at which other machines reach this one. */
const address = Object.values(networkInterfaces())
  .flat()
  .find(each => each?.family === 'IPv4' && !each.internal)?.address

let stack: Awaited<ReturnType<typeof writeSmallStack>>
let state = ''
beforeEach(async () => {
  stack = await writeSmallStack()
  state = join(stack.folder, 'state')
  return () => rm(stack.folder, { recursive: true, force: true })
})

type Run = { child: ChildProcess; out: string; err: string; ended: Promise<number | null> }

function run(...options: string[]): Run {
  const env = { ...process.env, CLOUD_ASSEMBLY: stack.assembly }
  const child = spawn(process.execPath, [startFile, '--empty', '--state', state, ...options], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close').then(([code]) => code)
  const all: Run = { child, out: '', err: '', ended }
  child.stdout.on('data', text => {
    all.out += text
  })
  child.stderr.on('data', text => {
    all.err += text
  })
  return all
}

async function runUntilReady(...options: string[]) {
  const started = run('--port', '0', ...options)
  await eventually(() => expect(started.out).toContain('Admin token: '))
  return { ...started, file: await readServiceFile(), read: () => started }
}

async function readServiceFile() {
  return serviceFile.parse(JSON.parse(await readFile(join(state, 'service.json'), 'utf8')))
}

describe('npm start', () => {
  it('says where it is and how to get in, on two lines and in a private file', async () => {
    const { out, file, child } = await runUntilReady()
    expect(out.split('\n').slice(0, 2)).toEqual([`Ready: ${file.baseUrl}`, `Admin token: ${file.adminToken}`])
    expect(out).toContain(`${file.baseUrl}/docs\n`)
    expect(file.pid).toBe(child.pid)
    expect((await fetch(file.baseUrl)).status).toBe(200)
    expect((await stat(join(state, 'service.json'))).mode & 0o777).toBe(0o600)
  })

  it('keeps nothing that another user may read', async () => {
    await runUntilReady()
    const names = ['.', ...(await readdir(state, { recursive: true }))]
    expect(names).toEqual(expect.arrayContaining(['dynamodb.db', 'secrets.json', 'service.json', 'queues']))
    const modes = await Promise.all(
      names.map(async name => [name, (await stat(join(state, name))).mode] as const),
    )
    expect(modes.filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([])
  })

  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])('ends with status 0 on %s', async signal => {
    const { child, ended } = await runUntilReady()
    child.kill(signal)
    child.kill(signal) // npm passes on what the terminal has sent already
    expect(await ended).toBe(0)
  })

  it('ends on SIGINT while a function hangs where it cannot be ended, and comes up again', async () => {
    await writeFile(
      join(stack.assembly, 'asset.everything', 'index.mjs'),
      `export const handler = () => {
        console.log('begins')
        return ('a' + '\u0300'.repeat(9e6) + '\u0316'.repeat(9e6)).normalize()
      }`,
    )
    const { child, ended, file, read } = await runUntilReady()
    void fetch(`${file.baseUrl}/calls`).catch(() => {})
    await eventually(() => expect(read().err).toContain('begins'))
    child.kill('SIGINT')
    await ended
    expect(read().err).toContain('by force')
    await runUntilReady()
  })

  it('keeps tokens, e-mail and password over a restart', async () => {
    const first = await runUntilReady()
    first.child.kill('SIGTERM')
    await first.ended
    const { baseUrl: _, pid: __, ...same } = first.file
    expect((await runUntilReady()).file).toMatchObject(same)
  })

  it('comes up again on the same state after kill -9, and leaves no database behind', async () => {
    const first = await runUntilReady()
    const { databasePid } = JSON.parse(await readFile(join(state, 'lock'), 'utf8'))
    first.child.kill('SIGKILL')
    await first.ended
    const second = await runUntilReady()
    expect(second.file.adminToken).toBe(first.file.adminToken)
    expect(await commandLineOf(databasePid)).not.toContain(state)
  })

  it('refuses a state that another one holds, and a reset of it', async () => {
    const first = await runUntilReady()
    for (const options of [[], ['--reset']]) {
      const second = run('--port', '0', ...options)
      expect(await second.ended).toBe(1)
      expect(second.err).toContain(`in use by process ${first.child.pid}`)
    }
    expect((await fetch(first.file.baseUrl)).status).toBe(200)
  })

  it.runIf(address)('is reached by others where --host says so, under the names that it says', async () => {
    const usual = await runUntilReady()
    const usualPort = new URL(usual.file.baseUrl).port
    await expect(statusOf(`http://${address}:${usualPort}`)).rejects.toThrow('ECONNREFUSED')
    usual.child.kill('SIGTERM')
    await usual.ended
    const { out, file } = await runUntilReady('--host', `${address}`, '--host', 'build.internal')
    const { port } = new URL(file.baseUrl)
    expect(out).toContain(
      `http://${address}:${port}, http://build.internal:${port}: only in networks that you trust`,
    )
    const url = `http://${address}:${port}`
    expect(await statusOf(url)).toBe(200)
    expect(await statusOf(url, 'build.internal')).toBe(200)
    expect(await statusOf(file.baseUrl)).toBe(200)
    expect(await statusOf(url, 'evil.example')).toBe(421)
  })

  it('begins each line of the log with its time and level, and shows what the level lets through', async () => {
    const words = ['debug', 'info', 'warn', 'error'].map(
      level => `console.log(JSON.stringify({ level: '${level}', message: 'of ${level}' }))`,
    )
    const source = `export const handler = () => { ${words.join('; ')}; console.error('Oh no'); return {} }`
    await writeFile(join(stack.assembly, 'asset.everything', 'index.mjs'), source)
    const seen = async (...options: string[]) => {
      const { file, read, child, ended } = await runUntilReady(...options)
      await fetch(`${file.baseUrl}/calls`)
      await eventually(() => expect(read().err).toContain('Oh no'))
      child.kill('SIGTERM')
      await ended
      return read().err.trim().split('\n')
    }
    const usual = await seen()
    for (const line of usual) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (info|warn|error) /)
    const ofCall = (lines: string[]) =>
      lines.flatMap(line => /Z (\w+) everything: .*?(of \w+|Oh no)/i.exec(line)?.slice(1, 3).join(' ') ?? [])
    const [debug, ...others] = [
      'debug of debug',
      'info of info',
      'warn of warn',
      'error of error',
      'error Oh no',
    ]
    expect(ofCall(usual)).toEqual(expect.arrayContaining(others))
    expect(ofCall(usual)).not.toContain(debug)
    expect(ofCall(await seen('--log-level', 'debug'))).toEqual(expect.arrayContaining([debug, ...others]))
    expect(new Set(ofCall(await seen('--log-level', 'error')))).toEqual(new Set(others.slice(2)))
  })

  it('keeps its log in a file with --log, after what that had, for its user alone', async () => {
    const file = join(stack.folder, 'service.log')
    const first = await runUntilReady('--log', file)
    expect(first.read().err).toBe('')
    first.child.kill('SIGTERM')
    await first.ended
    const before = await readFile(file, 'utf8')
    expect(before).toMatch(/^\d{4}-.* info /)
    await runUntilReady('--log', file, '--reset')
    const after = await readFile(file, 'utf8')
    expect(after.startsWith(before)).toBe(true)
    expect(after.length).toBeGreaterThan(before.length)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('says so when the log cannot be written', async () => {
    const { ended, err } = await ending(run('--log', join(stack.folder, 'no', 'log')))
    expect(ended).toBe(1)
    expect(err).toContain('The log cannot be written to')
  })

  it('starts over with --reset', async () => {
    const first = await runUntilReady()
    first.child.kill('SIGTERM')
    await first.ended
    const second = await runUntilReady('--reset')
    expect(second.file.adminToken).not.toBe(first.file.adminToken)
  })

  it('says so when the port is taken', async () => {
    const { file } = await runUntilReady()
    const { port } = new URL(file.baseUrl)
    const second = run('--port', port, '--state', join(stack.folder, 'other'))
    expect(await second.ended).toBe(1)
    expect(second.err).toContain(`Port ${port}`)
  })

  it('refuses what it does not know, and says where the options are', async () => {
    const { ended, err } = await ending(run('--colour', 'red'))
    expect(ended).toBe(1)
    expect(err).toContain('--colour')
    expect(err).toContain('--help')
  })

  it('explains its options, and starts nothing', async () => {
    const { ended, out } = await ending(run('--help'))
    expect(ended).toBe(0)
    for (const name of [
      'port',
      'host',
      'log',
      'log-level',
      'state',
      'empty',
      'reset',
      'limit-scale',
      'strict-addresses',
    ]) {
      expect(out).toContain(`--${name}`)
    }
    expect(await readdir(stack.folder)).not.toContain('state')
  })
})

function statusOf(url: string, host?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host }
    get(url, { headers, agent: false }, answer => resolve(answer.resume().statusCode)).on('error', reject)
  })
}

async function ending(started: Run) {
  return { ended: await started.ended, out: started.out, err: started.err }
}
