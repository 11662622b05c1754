// Runs the commands of a README as a newcomer would: on a service of their own, with its port and its state.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../../infra/local/addresses.ts'
import { until } from '../support/until.ts'
import { PROJECT } from './readmes.ts'

export const RECEIVER = fileURLToPath(new URL('./receiver.mjs', import.meta.url))
export const run = promisify(execFile)
/** Far above the minute that a session takes on a busy machine, and below the time-out of a test. */
const HANGS_AFTER_MS = 280_000

/** Starts a service. `here` rewrites commands to its port and state. */
export async function startSession() {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'))
  const state = join(folder, 'state')
  const [port, receiverPort] = [await freePort(), await freePort()]
  const service = await startService(port, state)
  const here = (text: string) =>
    text
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
      .replaceAll('4000', String(receiverPort))
      .replaceAll(/test\/readme\/receiver\.mjs ("?\$SECRET"?)/g, `${RECEIVER} $1 ${receiverPort}`)
      .replaceAll('./.local/', `${state}/`)
      .replaceAll('/mnt/backups/', `${folder}/`)
      .replaceAll('npm run operator --', `npm run --silent --prefix ${PROJECT} operator -- --state ${state}`)
      .replaceAll('npm run bench', `npm run --prefix ${PROJECT} bench`)
      .replaceAll('npm run conformance', `npm run --prefix ${PROJECT} conformance`)
      .replaceAll('npm run synth', `CDK_OUTPUT=${join(folder, 'cdk.out')} npm run --prefix ${PROJECT} synth`)
  const stop = async () => {
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { folder, state, port, printed: service.printed, here, stop }
}

/** `npm run` takes longer than most commands of the operator; the session of README.md runs it. */
export function withoutNpm(command: string): string {
  const files = ['infra/launch.cjs', 'infra/operator/operator.ts'].map(file => join(PROJECT, file))
  return command.replaceAll('npm run operator --', `node ${files.join(' ')} --state ./.local/`)
}

async function startService(port: number, state: string) {
  const service = spawn('npm', ['start', '--', '--port', String(port), '--state', state], {
    cwd: PROJECT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  service.stdout.on('data', chunk => {
    printed += chunk
  })
  const stop = async () => {
    const { pid } = JSON.parse(await readFile(join(state, 'service.json'), 'utf8'))
    process.kill(pid, 'SIGTERM')
    await until('the service to end', () => service.exitCode !== null)
  }
  await until('the service to be ready', () => printed.includes('Admin token: '))
  return { printed, stop }
}

/** Runs the commands as one script, which fails with the first of them. Returns its output. */
export async function runScript(folder: string, commands: string[]): Promise<string> {
  const script = [
    'set -euo pipefail',
    "trap 'for job in $(jobs -p); do kill $job; done' EXIT",
    ...commands,
  ].join('\n')
  await writeFile(join(folder, 'session.sh'), script)
  const { stdout } = await run('bash', ['session.sh'], { cwd: folder, timeout: HANGS_AFTER_MS })
  return stdout
}
