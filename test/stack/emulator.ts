// Runs ministack, an emulator of AWS, in a process of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { freePort } from '../../infra/local/addresses.ts'
import { until } from '../support/until.ts'

const LAUNCHER = new URL('emulator.py', import.meta.url).pathname
const PRELOAD = new URL('preload.cjs', import.meta.url).pathname
const READY_WITHIN_MS = 60_000

/** `folder` gets its log and the code of the functions. */
export async function startEmulator(scripts: string, folder: string) {
  const port = await freePort()
  const logFile = join(folder, 'ministack.log')
  const child = spawn(join(scripts, 'python'), [LAUNCHER], {
    cwd: folder,
    // Functions inherit these variables, and run on this Node.
    env: {
      ...process.env,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      NODE_OPTIONS: `--require ${PRELOAD}`,
      ALLOW_LOOPBACK_WEBHOOKS: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      TMPDIR: folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const log = createWriteStream(logFile)
  child.stdout.pipe(log)
  child.stderr.pipe(log)
  const ended = once(child, 'exit')
  const endpoint = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.pid === undefined) return
    // Its functions are in the same group.
    process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  await until('ministack to answer', () => answers(endpoint, child.exitCode, logFile), READY_WITHIN_MS)
  return { endpoint, logFile, stop }
}

async function answers(endpoint: string, exitCode: number | null, logFile: string): Promise<boolean> {
  if (exitCode !== null) throw new Error(`ministack ended with ${exitCode}. Read ${logFile}.`)
  return fetch(`${endpoint}/_ministack/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}
