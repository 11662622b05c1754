// Every command of the README is run, in the order it stands there, on a service started as it says.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { freePort } from '../../infra/local/free-port.ts'
import { until } from '../world/until.ts'
import { blocksOf } from './blocks.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const receiverFile = fileURLToPath(new URL('./receiver.mjs', import.meta.url))
const run = promisify(execFile)
const powershell = ['pwsh', 'powershell'].find(name => spawnSync(name, ['-Version']).status === 0)

/** These cannot run inside a test run: what runs them instead. */
const ELSEWHERE = {
  'npm ci && npm start': 'installed already; started below with a port and a state of its own',
  'npm ci && npm test': 'this very run; on a clean checkout by .ci/run',
  'npm run check': 'types, lint and this very run; on a clean checkout by .ci/run',
  'npm run test:soak': 'takes an hour; a little of it is in every run of the tests',
  'npm run test:fuzz': 'takes many minutes; 500 of its requests are in .ci/run',
  'npm run bench': 'takes minutes; what it does is tested in test/bench',
  'npm start -- --host 172.17.0.1 --host host.docker.internal':
    'needs such an address; test/local/start.test.ts starts it with one of this machine',
  'npm run deploy': 'needs an account; what it deploys is synthesized below',
}

async function startService(port: number, state: string) {
  const service = spawn('npm', ['start', '--', '--port', String(port), '--state', state], {
    cwd: project,
    detached: true,
    env: { ...process.env, CLOUD_ASSEMBLY: inject('patientAssembly') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  service.stdout.on('data', chunk => {
    printed += chunk
  })
  onTestFinished(async () => {
    const { pid } = JSON.parse(await readFile(join(state, 'service.json'), 'utf8'))
    process.kill(pid, 'SIGTERM')
    await until('the service to end', () => service.exitCode !== null)
  })
  await until('the service to be ready', () => printed.includes('Admin token: '))
  return printed
}

describe('README.md', () => {
  it('says nothing in its commands that does not work', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'readme-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const state = join(folder, 'state')
    const [port, receiverPort] = [await freePort(), await freePort()]
    const here = (text: string) =>
      text
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
        .replaceAll('4000', String(receiverPort))
        .replaceAll('test/readme/receiver.mjs "$SECRET"', `${receiverFile} "$SECRET" ${receiverPort}`)
        .replaceAll('./.local/', `${state}/`)
        .replaceAll(
          'npm run operator --',
          `npm run --silent --prefix ${project} operator -- --state ${state}`,
        )
        .replaceAll(
          'npm run synth',
          `CDK_OUTPUT=${join(folder, 'cdk.out')} npm run --prefix ${project} synth`,
        )
    const printed = await startService(port, state)
    expect(printed).toContain(`Ready: http://127.0.0.1:${port}\n`)

    const commands = blocksOf('sh').filter(block => !(block in ELSEWHERE))
    // Pasted at once, as by somebody in a hurry.
    const script = ['set -euo pipefail', "trap 'kill $(jobs -p)' EXIT", ...commands.map(here)].join('\n')
    await writeFile(join(folder, 'session.sh'), script)
    const { stdout } = await run('bash', ['session.sh'], { cwd: folder, timeout: 150_000 })

    expect(await readFile(join(state, 'received'), 'utf8')).toContain('"event":"post.published"')
    expect(stdout).toContain('"total_deliveries":1,"failed_deliveries":0')
    expect(stdout).toContain('"success":true')
    expect(stdout).toContain('Created user 2: Editor <editor@example.com>')
    expect(stdout).toMatch(/^hcs_2_\d+_/m)
    expect(stdout).toContain('editor@example.com\tEditor')
    expect(stdout).toContain('Nothing is wrong.')
  })

  it('shows the receiver as it is', async () => {
    expect(blocksOf('js')).toContain((await readFile(receiverFile, 'utf8')).trim())
  })

  it.skipIf(powershell === undefined)(
    `says nothing for PowerShell that does not work${powershell ? '' : ' (there is no PowerShell on this machine)'}`,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'readme-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      const [port, receiverPort] = [await freePort(), await freePort()]
      const state = join(folder, 'state')
      await startService(port, state)
      const script = (blocksOf('powershell')[0] ?? '')
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
        .replaceAll('4000', String(receiverPort))
        .replaceAll('./.local/', `${state}/`)
        .replaceAll('test/readme/receiver.mjs $SECRET', `${receiverFile} $SECRET ${receiverPort}`)
      const words = [
        '-NoProfile',
        '-Command',
        `$ErrorActionPreference = 'Stop'\n${script}\nStop-Process $RECEIVER`,
      ]
      const { stdout } = await run(powershell ?? '', words, { timeout: 60_000 })
      expect(stdout).toContain('post.published')
      expect(stdout).toMatch(/total_deliveries +: 1/)
    },
    90_000,
  )

  it('runs elsewhere only what cannot run here', () => {
    expect(Object.keys(ELSEWHERE).filter(command => !blocksOf('sh').includes(command))).toEqual([])
  })
})
