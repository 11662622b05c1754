// Which endpoint an event is for, by resource and method; never by path, which carries a domain's base path.
import { asAsked, type Group } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { normalize } from '../http/normalize.ts'
import type { Handler, Handlers } from './handler.ts'
import { contextOf } from './request-context.ts'

const LARGEST_BODY_BYTES = 2 * 1024 * 1024

export function match<G extends Group>(group: G, handlers: Handlers<G>) {
  const routes = new Map(
    Object.entries(group).map(([name, endpoint]) => {
      // Which call a handler takes is known by its endpoint alone, which is at its side from here on.
      const handler = handlers[name] as unknown as Handler
      return [routeName(endpoint.method, endpoint.path), { endpoint, handler }] as const
    }),
  )

  const matchBefore = ({ event }: { event: object }): void => {
    const exchange = contextOf(event)
    const { resource, httpMethod, body, pathParameters } = exchange.event
    const route = routes.get(routeName(httpMethod === 'HEAD' ? 'GET' : httpMethod, resource))
    if (!route) throw notFound('Endpoint')
    const params = route.endpoint.params.safeParse(decoded(pathParameters ?? {}))
    if (!params.success) throw notFound('Resource')
    const endpoint = asAsked(route.endpoint, Object.keys(exchange.event.queryStringParameters ?? {}))
    exchange.route = { ...route, endpoint, params: params.data }
    if (body && Buffer.byteLength(body) > LARGEST_BODY_BYTES) {
      throw new ApiError('PAYLOAD_TOO_LARGE', 'The request body is larger than 2 MiB.')
    }
  }
  return { before: matchBefore }
}

function routeName(method: string, path: string): string {
  return `${method} ${path}`
}

/** Each parameter is decoded exactly once; what is no valid encoding names nothing. */
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
