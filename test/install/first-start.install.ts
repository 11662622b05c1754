// Runs `npm ci && npm start` on a fresh copy, with each Node and its own npm. TESTS=yes adds `npm test`.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { processesWith } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { installStock } from './stock-node.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))
const notCloned = ['.git', 'node_modules', '.local', 'cdk.out']

/** Far more than all tests take, even with three other runs on the same machine. */
const AN_HOUR_MS = 3_600_000

const STOCK = [
  ['20.20.2', '10.8.2'],
  ['22.23.3', '10.9.4'],
  ['24.21.0', '11.19.1'],
] as const

// npm's registry has all three only for Linux; the launcher's own tests run everywhere.
describe.runIf(process.platform === 'linux').each(STOCK)('Node %s with npm %s', (node, npm) => {
  let folder = ''
  let clone = ''
  let env: NodeJS.ProcessEnv = {}
  let installing = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'install-'))
    clone = join(folder, 'clone')
    await cp(project, clone, { recursive: true, filter: path => !notCloned.includes(basename(path)) })
    env = await installStock(folder, node, npm)
    const { stdout, stderr } = await run('npm', ['ci'], { cwd: clone, env })
    installing = stdout + stderr
    return () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it('installs without a warning', async () => {
    const { stdout } = await run('sh', ['-c', 'node --version && npm --version'], { cwd: clone, env })
    expect(stdout.split('\n')).toEqual([`v${node}`, npm, ''])
    expect(installing).toContain('added ')
    expect(installing.split('\n').filter(line => /warn/i.test(line))).toEqual([])
  })

  it('starts a service that answers, and leaves no process after Ctrl-C', async () => {
    await startAndEnd(clone, join(folder, 'state'), env)
  })

  it('installs the emulator at its first start if npm has not installed it', async () => {
    await rm(join(clone, 'node_modules/@dynoxide'), { recursive: true })
    const said = await startAndEnd(clone, join(folder, 'state-installed'), env)
    expect(said).toContain('Installing @dynoxide/')
    expect(await startAndEnd(clone, join(folder, 'state-installed'), env)).not.toContain('Installing')
  })

  it.runIf(process.env.TESTS === 'yes')('passes all tests', { timeout: AN_HOUR_MS }, async () => {
    const tests = spawn('npm', ['test'], { cwd: clone, env, stdio: 'inherit' })
    expect(await once(tests, 'close')).toEqual([0, null])
  })

  it.runIf(npm === STOCK[0][1])('starts without the development packages', async () => {
    await run('npm', ['prune', '--omit=dev'], { cwd: clone, env })
    await expect(run('npm', ['run', 'lint'], { cwd: clone, env })).rejects.toThrow('biome')
    await startAndEnd(clone, join(folder, 'state-without'), env)
  })
})

/** Returns what it said. */
async function startAndEnd(clone: string, state: string, env: NodeJS.ProcessEnv): Promise<string> {
  const options = ['--port', '0', '--state', state]
  const service = spawn('npm', ['start', '--', ...options], { cwd: clone, env, detached: true })
  // A terminal sends Ctrl-C to the whole process group.
  const signalAll = (name: NodeJS.Signals) => process.kill(-(service.pid ?? 0), name)
  onTestFinished(() => {
    if (!isOver()) signalAll('SIGKILL')
  })
  let said = ''
  const hear = (chunk: Buffer) => {
    said += chunk
  }
  service.stdout.on('data', hear)
  service.stderr.on('data', hear)
  // Settles when no process has its output open any more.
  const ended = once(service, 'close')
  const isOver = () => service.exitCode !== null || service.signalCode !== null
  await until('the service to be ready', () => isOver() || said.includes('Admin token: '), 120_000)
  expect(said).toContain('Ready: http://127.0.0.1:')

  const { baseUrl } = JSON.parse(await readFile(join(state, 'service.json'), 'utf8'))
  const answer = await fetch(`${baseUrl}/api/v1/posts?per_page=1`)
  expect(await answer.json()).toMatchObject({ success: true, data: [{ content_type: 'post' }] })

  signalAll('SIGINT')
  await ended
  expect(processesWith(state)).toEqual([])
  return said
}
