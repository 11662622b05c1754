// Finds the function for a request by the endpoints that the service declares.
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

const DECLARED = Object.entries(API_FUNCTIONS).flatMap(([name, { endpoints }]) =>
  Object.values(endpoints).map(({ method, path }) => ({ name, method, path })),
)
const ROUTES = [...DECLARED, { ...DOCUMENT, method: 'GET' }].map(route => ({
  ...route,
  pattern: patternOf(route.path),
}))

/** A slash at the end is ignored. */
function patternOf(path: string): RegExp {
  const pattern = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${pattern}/?$`)
}

/** @param path that of the request line, without the query. */
export function routeOf(method: string, path: string): Route {
  const asked = method === 'HEAD' ? 'GET' : method
  for (const route of ROUTES) {
    const found = route.method === asked ? route.pattern.exec(path) : null
    if (found) return { name: route.name, resource: route.path, pathParameters: { ...found.groups } }
  }
  return { name: OTHERS, resource: ANY_PATH, pathParameters: {} }
}
