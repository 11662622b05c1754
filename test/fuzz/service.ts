// Starts a fresh service in its own process, by default with the demo content and very high rate limits.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { ABILITIES, type Ability } from '../../shared/http/audience.ts'

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url))
}

const ServiceFile = z.object({ baseUrl: z.string(), email: z.string(), password: z.string() })
const IssuedToken = z.object({ token: z.string() })

/** With strict addresses, deliveries to invented hosts fail immediately and none reaches this machine. */
const UNLIMITED = ['--limit-scale', '1000000', '--strict-addresses']

export async function startService(options = UNLIMITED) {
  const state = mkdtempSync(join(tmpdir(), 'fuzz-'))
  const child = spawn(
    process.execPath,
    [pathOf('infra/local/start.ts'), '--port', '0', '--state', state, ...options],
    {
      stdio: ['ignore', 'pipe', process.env.VERBOSE ? 'inherit' : 'ignore'],
    },
  )
  const ended = once(child, 'exit')
  const ready = Promise.withResolvers<void>()
  ended.then(() => ready.reject(new Error('The service ended before it was ready.')))
  // Reads all output, so that the service never blocks on a full pipe.
  createInterface(child.stdout).on('line', line => {
    if (line.startsWith('Admin token: ')) ready.resolve()
  })
  await ready.promise
  const { baseUrl, email, password } = ServiceFile.parse(
    JSON.parse(readFileSync(join(state, 'service.json'), 'utf8')),
  )

  const token = (name: string, abilities: readonly Ability[] = ABILITIES): string => {
    const command = ['token', 'create', '--email', email, '--abilities', abilities.join(','), '--name', name]
    const operator = [pathOf('infra/operator/operator.ts'), ...command, '--json', '--state', state]
    const printed = execFileSync(process.execPath, operator, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return IssuedToken.parse(JSON.parse(printed)).token
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGINT')
    await ended
    rmSync(state, { recursive: true, force: true, maxRetries: 5 })
  }
  return { baseUrl, email, password, token, stop, folder: state }
}
