// Sends the example of every endpoint that writes, each to records of its own.
import { setTimeout as pause } from 'node:timers/promises'
import { notFound } from '../../shared/http/errors.ts'
import { GUIDES } from '../../shared/service/guides.ts'
import { nameOf, openExamples } from '../openapi/send-example.ts'
import type { World } from '../world/world.ts'

const PAUSE_MS = 50
const ATTEMPTS = 100

const WITHOUT = [
  // The load changes the profile, but not the name, which answers about posts contain.
  'PATCH /me',
  // Their tokens come by mail, which a fault may delay, reorder or end as unknown.
  ...['POST /auth/verify-email', 'POST /auth/reset-password'],
  ...['POST /newsletter/confirm', 'POST /newsletter/unsubscribe'],
]
const WRITES = GUIDES.filter(guide => guide.endpoint.method !== 'GET' && !WITHOUT.includes(nameOf(guide)))

/**
 * Returns the answers that are neither a success nor "try again". A former release may not have the endpoint;
 * then another attempt reaches the other release.
 */
export async function writeEverything(world: World): Promise<string[]> {
  const examples = openExamples(world)
  const refused: string[] = []
  for (const guide of WRITES) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const refusal = await examples
        .send(guide)
        .then(({ status, text }) => (status < 300 ? undefined : `${status} ${text}`), String)
      if (refusal === undefined) break
      if (attempt === ATTEMPTS || !isPassing(refusal)) {
        refused.push(`${nameOf(guide)}: ${refusal}`)
        break
      }
      await pause(PAUSE_MS)
    }
  }
  return refused
}

function isPassing(refusal: string): boolean {
  return refusal.includes('"UNAVAILABLE"') || refusal.includes(notFound('Endpoint').message)
}
