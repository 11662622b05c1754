// Every command of the README is run, in the order it stands there, on a service started as it says.
import { execFile, spawn } from 'node:child_process'
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
const run = promisify(execFile)

/** These cannot run inside a test run: what runs them instead. */
const ELSEWHERE = {
  'npm ci && npm start': 'installed already; started below with a port and a state of its own',
  'npm ci && npm test': 'this very run; on a clean checkout by .ci/run',
  'npm run check': 'types, lint and this very run; on a clean checkout by .ci/run',
  'npm run test:soak': 'takes an hour; a little of it is in every run of the tests',
  'npm run test:fuzz': 'takes many minutes; 500 of its requests are in .ci/run',
  'npm run bench': 'takes minutes; what it does is tested in test/bench',
  'npm run deploy': 'needs an account; what it deploys is synthesized below',
}

const startService = async (port: number, state: string) => {
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
        .replaceAll('./.local/', `${state}/`)
        .replaceAll(
          'npm run operator --',
          `npm run --silent --prefix ${project} operator -- --state ${state}`,
        )
        .replaceAll(
          'npm run synth',
          `CDK_OUTPUT=${join(folder, 'cdk.out')} npm run --prefix ${project} synth`,
        )
    const [receiver = ''] = blocksOf('js')
    await writeFile(join(folder, 'receiver.mjs'), here(receiver))
    const printed = await startService(port, state)
    expect(printed).toContain(`Ready: http://127.0.0.1:${port}\n`)

    const commands = blocksOf('sh').filter(block => !(block in ELSEWHERE))
    const script = [
      'set -euo pipefail',
      ...commands
        .map(here)
        .map(command =>
          command.replace(
            /^node receiver\.mjs (.*) &$/m,
            waitingReceiver.replace('RECEIVER_PORT', String(receiverPort)),
          ),
        ),
      'wait_for_event',
    ].join('\n')
    await writeFile(join(folder, 'session.sh'), helpers + script)
    const { stdout } = await run('bash', ['session.sh'], { cwd: folder })

    expect(await readFile(join(folder, 'received'), 'utf8')).toContain('"event":"post.published"')
    expect(stdout).toContain('"success":true')
    expect(stdout).toContain('Created user 2: Editor <editor@example.com>')
    expect(stdout).toMatch(/^hcs_2_\d+_/m)
    expect(stdout).toContain('editor@example.com\tEditor')
    expect(stdout).toContain('Nothing is wrong.')
  })

  it('runs elsewhere only what cannot run here', () => {
    expect(Object.keys(ELSEWHERE).filter(command => !blocksOf('sh').includes(command))).toEqual([])
  })
})

/** The receiver as the README starts it, its output kept, gone with the session. */
const waitingReceiver = `node receiver.mjs $1 > received & RECEIVER=$!
trap 'kill $RECEIVER' EXIT
for _ in $(seq 1000); do curl -s -o /dev/null "http://localhost:RECEIVER_PORT" && break; sleep 0.05; done`

const helpers = `wait_for_event() {
  for _ in $(seq 2000); do grep -q post.published received && return; sleep 0.05; done
  return 1
}
`
