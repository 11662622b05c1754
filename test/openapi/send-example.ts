// Sends the example of an endpoint, with the ids and tokens of real records.
import type { Guide } from '../../shared/http/guide.ts'
import type { World } from '../world/world.ts'
import { PREPARE, type Replacement } from './example-calls.ts'
import type { Records } from './example-records.ts'

const BASE = '/api/v1'

/** `GET /posts/{slug}`, as in `PREPARE`. */
export function nameOf({ endpoint: { method, path } }: Guide): string {
  return `${method} ${path.slice(BASE.length)}`
}

export async function sendExample({ call, admin }: World, records: Records, guide: Guide) {
  const { endpoint, params = {}, query, body } = guide
  const replacement: Replacement = (await PREPARE[nameOf(guide)]?.(records)) ?? {}
  const unknown = Object.keys(replacement.body ?? {}).filter(member => !(member in Object(body)))
  if (unknown.length > 0) throw new Error(`The example of ${nameOf(guide)} has no ${unknown.join(', ')}.`)
  return await call(endpoint, {
    token: replacement.token ?? admin,
    params: { ...params, ...replacement.params },
    ...(query && { query }),
    ...(endpoint.body && { body: { ...Object(body), ...replacement.body } }),
  })
}
