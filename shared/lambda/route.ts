// Finds the endpoint by resource and method, not by path: a custom domain may put a prefix before it.
import { endpointWith } from '../http/endpoint.ts'
import { ApiError, type Fields, notFound } from '../http/errors.ts'
import { normalize } from '../http/normalize.ts'
import { NOT_UTF8 } from '../http/text.ts'
import type { Step } from './chain.ts'
import type { Answering } from './handler.ts'
import { bodyEncoding, type RequestContext, type WithRoute } from './request.ts'

export const LARGEST_BODY_BYTES = 2 * 1024 * 1024

/** Refuses with 404 and 413. */
export function route(all: Answering[]): Step<RequestContext, WithRoute> {
  const routes = new Map(all.map(each => [routeName(each.endpoint.method, each.endpoint.path), each]))

  const routeBefore = ({ event }: RequestContext): WithRoute => {
    const { resource, httpMethod, body, pathParameters, queryStringParameters } = event
    const found = routes.get(routeName(httpMethod === 'HEAD' ? 'GET' : httpMethod, resource))
    if (!found) throw notFound('Endpoint')
    const { texts, pathFaults } = decoded(pathParameters ?? {})
    const params = found.endpoint.params.safeParse(texts)
    if (!params.success) throw notFound('Resource')
    if (body && Buffer.byteLength(body, bodyEncoding(event)) > LARGEST_BODY_BYTES) {
      throw new ApiError('PAYLOAD_TOO_LARGE', 'The request body is larger than 2 MiB.')
    }
    const endpoint = endpointWith(found.endpoint, Object.keys(queryStringParameters ?? {}))
    return { route: { ...found, endpoint, params: params.data }, pathFaults }
  }
  return { before: routeBefore }
}

function routeName(method: string, path: string): string {
  return `${method} ${path}`
}

const MALFORMED = /%(?![0-9a-f]{2})/i
/** Takes the place of a text that is not UTF-8, which is 422 later on. It is no id: a wrong id is 404. */
const STAND_IN = 'x'

/** Decodes each path parameter once. A malformed encoding is 404, because no resource has such a name. */
function decoded(parameters: Record<string, string | undefined>) {
  const pathFaults: Fields = {}
  const texts = Object.entries(parameters).map(([name, value = '']) => {
    if (MALFORMED.test(value)) throw notFound('Resource')
    try {
      return [name, normalize(decodeURIComponent(value), 'NFC')]
    } catch {
      pathFaults[name] = [NOT_UTF8]
      return [name, STAND_IN]
    }
  })
  return { texts: Object.fromEntries(texts), pathFaults }
}
