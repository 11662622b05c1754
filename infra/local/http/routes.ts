// Finds the function for a request by the endpoints that the service declares, with API Gateway's precedence.
import { API_FUNCTIONS, DOCUMENT, OTHERS } from '../../../shared/service/api.ts'

export type Route = {
  /** The name of the function. */
  name: string
  /** The declared path, such as `/api/v1/posts/{slug}`. */
  resource: string
  /** Percent-encoded, as API Gateway passes them on. */
  pathParameters: Record<string, string>
}

type Node = {
  resource: string
  /** The function of each method. */
  methods: Map<string, string>
  literals: Map<string, Node>
  /** The child `{name}`; there is at most one. */
  param?: { name: string; node: Node }
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
  const root = treeOf(routes)
  return (method, path) => {
    const segments = (path.endsWith('/') ? path.slice(0, -1) : path).split('/').slice(1)
    const found = find(root, segments, method === 'HEAD' ? 'GET' : method, {})
    if (found) return found
    const rest = path.replace(/^\//, '')
    return rest === ''
      ? { name: OTHERS, resource: '/', pathParameters: {} }
      : { name: OTHERS, resource: ANY_PATH, pathParameters: { proxy: rest } }
  }
}

/** If a resource does not have the method, a less specific resource may have it. */
function find(
  node: Node,
  [segment, ...rest]: string[],
  method: string,
  pathParameters: Record<string, string>,
): Route | undefined {
  if (segment === undefined) {
    const name = node.methods.get(method)
    return name === undefined ? undefined : { name, resource: node.resource, pathParameters }
  }
  const literal = node.literals.get(segment)
  const { param } = node
  return (
    (literal && find(literal, rest, method, pathParameters)) ??
    (param && segment !== ''
      ? find(param.node, rest, method, { ...pathParameters, [param.name]: segment })
      : undefined)
  )
}

function treeOf(routes: DeclaredRoute[]): Node {
  const tree = newNode('')
  for (const { name, method, path } of routes) {
    path.split('/').filter(Boolean).reduce(childOf, tree).methods.set(method, name)
  }
  return tree
}

/** The child for this part of a path, which is created if it is missing. */
function childOf(parent: Node, part: string): Node {
  const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
  if (name !== undefined) {
    parent.param ??= { name, node: newNode(`${parent.resource}/${part}`) }
    return parent.param.node
  }
  const child = parent.literals.get(part) ?? newNode(`${parent.resource}/${part}`)
  parent.literals.set(part, child)
  return child
}

function newNode(resource: string): Node {
  return { resource, methods: new Map(), literals: new Map() }
}
