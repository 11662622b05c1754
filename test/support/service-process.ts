// `npm start` as a process with a state of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { callAt } from './call.ts'
import { until } from './until.ts'

const [LAUNCHER, START] = ['launch.cjs', 'local/start.ts'].map(file =>
  fileURLToPath(new URL(`../../infra/${file}`, import.meta.url)),
)

const ServiceFile = z.object({
  baseUrl: z.url(),
  adminToken: z.string(),
  userToken: z.string(),
  email: z.string(),
  password: z.string(),
  pid: z.int(),
})

export type ServiceProcess = {
  child: ChildProcess
  out: string
  err: string
  /** Resolves with the exit code. */
  ended: Promise<number | null>
  /** Sends the signal, and waits for the end. */
  end: (signal: NodeJS.Signals) => Promise<void>
}

/** On any free port. */
export function spawnService(state: string, options: string[] = [], variables = {}): ServiceProcess {
  const args = [LAUNCHER ?? '', START ?? '', '--port', '0', '--state', state, ...options]
  const child = spawn(process.execPath, args, { env: { ...process.env, ...variables } })
  const ended = once(child, 'close').then(([code]) => code)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  const service: ServiceProcess = { child, out: '', err: '', ended, end }
  child.stdout.on('data', text => {
    service.out += text
  })
  child.stderr.on('data', text => {
    service.err += text
  })
  return service
}

/** Rejects with what the process has said if it ends before. */
export async function untilReady(service: ServiceProcess, state: string) {
  await until('the service to be ready', () => {
    if (service.child.exitCode !== null) throw new Error(service.err)
    return service.out.includes('Admin token: ')
  })
  const file = ServiceFile.parse(JSON.parse(await readFile(join(state, 'service.json'), 'utf8')))
  return { ...file, call: callAt(file.baseUrl) }
}
