// Reads the token of the admin with which the smoke test writes.
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientSettings } from '../aws/client.ts'
import { readSecret } from '../aws/secrets-manager.ts'
import { log } from '../runtime/log.ts'
import type { Failure } from './reason.ts'
import { causeOf } from './run.ts'
import type { WritingTest } from './step.ts'

/** Retries, because a new permission works only after some seconds. The value is in no failure. */
export async function readToken(
  access: ClientSettings,
  { Writing: { Secret }, PausesSeconds }: WritingTest,
  budget: AbortSignal,
): Promise<string | Failure> {
  let problem = ''
  for (const seconds of [0, ...PausesSeconds]) {
    await pause(seconds * 1000, undefined, { signal: budget }).catch(() => {})
    if (budget.aborted) break
    try {
      return tokenIn((await readSecret(access, Secret)).value, Secret)
    } catch (error) {
      problem = causeOf(error)
      log('warn', 'the token of the smoke test could not be read', { problem })
    }
  }
  return { parts: [], problem: `The token of the smoke test could not be read from ${Secret}: ${problem}` }
}

/** A header takes these characters; JSON is what the console of AWS writes for a key and a value. */
function tokenIn(value: string, id: string): string | Failure {
  const token = value.trim()
  if (/^[\x21-\x7e]+$/.test(token) && !token.startsWith('{')) return token
  return { parts: [], problem: `The secret ${id} has to be the token of an admin, as plain text` }
}
