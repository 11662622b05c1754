// Finds the endpoint by resource and method, not by path: a custom domain may put a prefix before it.
import { endpointWith, type Group } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { normalize } from '../http/normalize.ts'
import type { Step } from './chain.ts'
import type { Handler, Handlers } from './handler.ts'
import type { RequestContext, WithRoute } from './request-context.ts'

const LARGEST_BODY_BYTES = 2 * 1024 * 1024

export function match<G extends Group>(group: G, handlers: Handlers<G>): Step<RequestContext, WithRoute> {
  const routes = new Map(
    Object.entries(group).map(([name, endpoint]) => {
      // The compiler cannot see that a handler is only called with the input of its own endpoint.
      const handler = handlers[name] as unknown as Handler
      return [routeName(endpoint.method, endpoint.path), { endpoint, handler }] as const
    }),
  )

  const matchBefore = ({ event }: RequestContext): WithRoute => {
    const { resource, httpMethod, body, pathParameters, queryStringParameters } = event
    const found = routes.get(routeName(httpMethod === 'HEAD' ? 'GET' : httpMethod, resource))
    if (!found) throw notFound('Endpoint')
    const params = found.endpoint.params.safeParse(decoded(pathParameters ?? {}))
    if (!params.success) throw notFound('Resource')
    if (body && Buffer.byteLength(body) > LARGEST_BODY_BYTES) {
      throw new ApiError('PAYLOAD_TOO_LARGE', 'The request body is larger than 2 MiB.')
    }
    const endpoint = endpointWith(found.endpoint, Object.keys(queryStringParameters ?? {}))
    return { route: { endpoint, handler: found.handler, params: params.data } }
  }
  return { before: matchBefore }
}

function routeName(method: string, path: string): string {
  return `${method} ${path}`
}

/** Decodes each path parameter once. An invalid encoding is 404, because no resource has such a name. */
function decoded(parameters: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value = '']) => {
      try {
        return [name, normalize(decodeURIComponent(value), 'NFC')]
      } catch {
        throw notFound('Resource')
      }
    }),
  )
}
