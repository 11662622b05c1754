// Finds the function for a request by the endpoints that the service declares, with API Gateway's precedence.
import { API_FUNCTIONS, DOCUMENT, OTHERS } from '../../../shared/service/api-functions.ts'

export type Route = {
  /** The name of the function. */
  name: string
  /** The declared path, such as `/api/v1/posts/{slug}`. */
  resource: string
  /** Percent-encoded, as API Gateway passes them on. */
  pathParameters: Record<string, string>
}

const ANY_PATH = '/{proxy+}'

type DeclaredRoute = { name: string; method: string; path: string }

export const routeOf = routerOf([
  ...Object.entries(API_FUNCTIONS).flatMap(([name, { endpoints }]) =>
    Object.values(endpoints).map(({ method, path }) => ({ name, method, path })),
  ),
  { name: DOCUMENT.name, method: 'GET', path: DOCUMENT.path },
])

/** @returns takes the path from the request line, without the query. A slash at its end is ignored. */
export function routerOf(routes: DeclaredRoute[]): (method: string, path: string) => Route {
  const sorted = routes
    .map(route => ({ ...route, parts: partsOf(route.path) }))
    .toSorted((a, b) => (rankOf(a.path) < rankOf(b.path) ? -1 : 1))
  return (method, path) => {
    const segments = partsOf(path.endsWith('/') ? path.slice(0, -1) : path)
    const asked = method === 'HEAD' ? 'GET' : method
    const found = sorted.find(({ method, parts }) => method === asked && matches(parts, segments))
    if (found) {
      const { name, path: resource, parts } = found
      const parameters = parts.flatMap((part, n) =>
        isParameter(part) ? [[part.slice(1, -1), segments[n]]] : [],
      )
      return { name, resource, pathParameters: Object.fromEntries(parameters) }
    }
    const rest = path.replace(/^\//, '')
    return rest === ''
      ? { name: OTHERS, resource: '/', pathParameters: {} }
      : { name: OTHERS, resource: ANY_PATH, pathParameters: { proxy: rest } }
  }
}

function partsOf(path: string): string[] {
  return path.split('/').slice(1)
}

function isParameter(part: string): boolean {
  return part.startsWith('{')
}

/** If two paths match the same request, the one that has a literal part first has the lower rank. */
function rankOf(path: string): string {
  return path.replace(/\{\w+\}/g, '\uffff')
}

function matches(parts: string[], segments: string[]): boolean {
  if (parts.length !== segments.length) return false
  return parts.every((part, n) => (isParameter(part) ? segments[n] !== '' : part === segments[n]))
}
