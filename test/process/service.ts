// Starts the service as a separate process, as `npm start` does, for tests that kill it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { callAt } from '../support/call.ts'
import { until } from '../support/until.ts'

const infra = fileURLToPath(new URL('../../infra/', import.meta.url))
const [launcher, startFile] = [join(infra, 'launch.cjs'), join(infra, 'local/start.ts')]
const ServiceFile = z.object({ baseUrl: z.string(), adminToken: z.string(), pid: z.int() })

export async function openState(): Promise<string> {
  const state = await mkdtemp(join(tmpdir(), 'state-'))
  onTestFinished(() => rm(state, { recursive: true, force: true, maxRetries: 5 }))
  return state
}

/** Resolves when the service is ready. `kill` sends SIGKILL. */
export async function startProcess(state: string, moreOptions: string[] = []) {
  const options = ['--state', state, '--port', '0', '--empty', '--limit-scale', '10000', ...moreOptions]
  const args = [launcher, startFile, ...options]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  let printed = ''
  child.stdout.on('data', chunk => {
    printed += chunk
  })
  await until('the service to be ready', () => printed.includes('Admin token: '))
  const { baseUrl, adminToken, pid } = ServiceFile.parse(
    JSON.parse(await readFile(join(state, 'service.json'), 'utf8')),
  )
  return { baseUrl, pid, token: adminToken, call: callAt(baseUrl), kill }
}
