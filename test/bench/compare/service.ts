// The service that `npm start` of a checkout runs. It is used only by its HTTP and its service.json.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { freePort } from '../../../infra/local/addresses.ts'
import { until } from '../../support/until.ts'
import type { Checkout } from './checkout.ts'

export type RunningService = {
  baseUrl: string
  token: string
  pid: number
  /** From the command to the first answer of `GET /posts`, and until everything is imported. */
  answeredAfterS: number
  readyAfterS: number
  stop(): Promise<void>
}

const ANSWERS_WITHIN_S = 300
const IMPORTS_WITHIN_MS = 4 * 3_600_000
const ServiceFile = z.object({ pid: z.int(), baseUrl: z.string(), adminToken: z.string() })

/** Writes the output of the service to a file beside its state folder. */
export async function startService(
  checkout: Checkout,
  state: string,
  args: string[] = [],
): Promise<RunningService> {
  mkdirSync(dirname(state), { recursive: true })
  const port = await freePort()
  const log = openSync(`${state}.log`, 'w')
  const options = ['--state', state, '--port', String(port), '--limit-scale', '1000000', ...args]
  const startedMs = performance.now()
  const program = spawn('npm', ['start', '--silent', '--', ...options], {
    cwd: checkout.folder,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const ended = once(program, 'exit')
  const failed = ended.then(() => {
    throw new Error(`The service of ${checkout.folder} ended: see ${state}.log.`)
  })
  try {
    await Promise.race([firstAnswer(port), failed])
    const answeredAfterS = secondsSince(startedMs)
    const importing = until('service.json', () => serviceAt(state, port), IMPORTS_WITHIN_MS)
    const { baseUrl, adminToken: token, pid } = await Promise.race([importing, failed])
    const readyAfterS = secondsSince(startedMs)
    const stop = async () => {
      process.kill(pid, 'SIGTERM')
      await ended
    }
    return { baseUrl: `${baseUrl}/api/v1`, token, pid, answeredAfterS, readyAfterS, stop }
  } catch (error) {
    program.kill()
    throw error
  }
}

async function firstAnswer(port: number): Promise<void> {
  const startedMs = performance.now()
  while (secondsSince(startedMs) < ANSWERS_WITHIN_S) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/posts`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return
    await pause(10)
  }
  throw new Error(`There was no answer within ${ANSWERS_WITHIN_S} s.`)
}

export function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000
}

/** The file of an earlier run names another port. */
async function serviceAt(state: string, port: number) {
  const text = await readFile(join(state, 'service.json'), 'utf8').catch(() => undefined)
  const service = text === undefined ? undefined : ServiceFile.parse(JSON.parse(text))
  return service?.baseUrl.endsWith(`:${port}`) && service
}

export type Ask = { method?: string; body?: unknown }

/** Throws if the answer is not a success. */
export async function send(
  { baseUrl, token }: RunningService,
  path: string,
  { method = 'GET', body }: Ask = {},
) {
  const isForAdmins = path.startsWith('admin/')
  const startedMs = performance.now()
  const response = await fetch(`${baseUrl}/${path}`, {
    method,
    headers: isForAdmins ? { Authorization: `Bearer ${token}` } : {},
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const ms = performance.now() - startedMs
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`)
  return { ms, text }
}
