// Sends the example of an endpoint, with the ids and tokens of real records.
import type { Endpoint } from '../../shared/http/endpoint.ts'
import type { CallOptions } from '../support/call.ts'
import { recordsOf } from '../support/records.ts'
import type { World } from '../support/world.ts'
import { exampleCalls } from './example-calls.ts'

const BASE = '/api/v1'

/** `GET /posts/{slug}`, as in the exceptions. */
export function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path.slice(BASE.length)}`
}

/** A GET reads records that all examples share; the others change and delete records of their own. */
export function openExamples(world: World) {
  const records = recordsOf(world)
  const exceptions = exampleCalls(world, records)

  /** The options of the call, with records that it needs. */
  const prepare = async (endpoint: Endpoint): Promise<CallOptions> => {
    const { query, body = {} } = endpoint.example
    const isRead = endpoint.method === 'GET'
    if (isRead) await records.fillLists(endpoint)
    const replacement = (await exceptions[nameOf(endpoint)]?.()) ?? {}
    const unknown = Object.keys(replacement.body ?? {}).filter(member => !(member in Object(body)))
    if (unknown.length > 0) {
      throw new Error(`The example of ${nameOf(endpoint)} has no ${unknown.join(', ')}.`)
    }
    const find = isRead ? records.paramsFor : records.newParamsFor
    return {
      token: replacement.token ?? world.admin,
      ...(replacement.headers && { headers: replacement.headers }),
      params: replacement.params ?? (await find(endpoint)),
      ...((replacement.query ?? query) && { query: { ...query, ...replacement.query } }),
      ...(endpoint.body && { body: await records.bodyFor(endpoint, replacement.body) }),
    }
  }
  const send = async (endpoint: Endpoint) => world.call(endpoint, await prepare(endpoint))
  return { prepare, send, exceptions: Object.keys(exceptions) }
}
