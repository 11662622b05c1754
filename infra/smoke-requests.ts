// The requests of the smoke test, from the declarations of the endpoints.
import { type Endpoint, isBodyOptional, namesIn } from '../shared/http/endpoint.ts'
import { API_FUNCTIONS } from '../shared/service/api.ts'

type Request = { Function: string; Method: string; Path: string }

/** How much of the service a request without a token uses, the most first, as long as it changes nothing. */
const HARMLESS: ((endpoint: Endpoint) => boolean)[] = [
  ({ method, ability, params }) => method === 'GET' && ability === null && namesIn(params).length === 0,
  ({ method, ability }) => method === 'GET' && ability === null,
  ({ method, params }) => method === 'GET' && namesIn(params).length === 0,
  ({ ability }) => ability !== null,
  // Without its body, the request is refused with 422.
  endpoint => endpoint.body !== null && !isBodyOptional(endpoint),
]

/** @param name of a function that answers requests. */
export function harmlessRequest(name: string): Request {
  const endpoints = Object.values(API_FUNCTIONS[name]?.endpoints ?? {})
  const [endpoint] = HARMLESS.flatMap(isHarmless => endpoints.filter(isHarmless))
  if (!endpoint) {
    throw new Error(
      `The smoke test has no harmless request for ${name}. Add a rule to HARMLESS in infra/smoke-requests.ts.`,
    )
  }
  return { Function: name, Method: endpoint.method, Path: endpoint.path.replaceAll(/\{\w+\}/g, '1') }
}
