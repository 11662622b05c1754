// Starts a fresh service in its own process, by default with the demo content and very high rate limits.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { ABILITIES, type Ability } from '../../shared/http/audience.ts'
import { spawnService, untilReady } from '../support/service-process.ts'

const OPERATOR = fileURLToPath(new URL('../../infra/operator/operator.ts', import.meta.url))
const IssuedToken = z.object({ token: z.string() })

/** With strict addresses, deliveries to invented hosts fail immediately and none reaches this machine. */
const UNLIMITED = ['--limit-scale', '1000000', '--strict-addresses']

export async function startService(options = UNLIMITED) {
  const state = mkdtempSync(join(tmpdir(), 'fuzz-'))
  const service = spawnService(state, options)
  const { baseUrl, email, password } = await untilReady(service, state)

  const token = (name: string, abilities: readonly Ability[] = ABILITIES): string => {
    const command = ['token', 'create', '--email', email, '--abilities', abilities.join(','), '--name', name]
    const operator = [OPERATOR, ...command, '--json', '--state', state]
    const printed = execFileSync(process.execPath, operator, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return IssuedToken.parse(JSON.parse(printed)).token
  }
  const stop = async (): Promise<void> => {
    await service.end('SIGINT')
    rmSync(state, { recursive: true, force: true, maxRetries: 5 })
  }
  return { baseUrl, email, password, token, stop, folder: state }
}
