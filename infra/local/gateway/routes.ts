// Finds the method of the REST API for a request, by API Gateway's rules of precedence.
import type { ApiDocument } from './document.ts'
import { type RestMethod, readMethod } from './rest-method.ts'

export type Match = {
  /** The declared path of the resource, such as `/api/v1/posts/{slug}`. */
  resource: string
  method: RestMethod
  /** Percent-encoded, as REST APIs pass them on. */
  pathParameters: Record<string, string>
}

export type Routes = {
  /** @param path from the request line, without the query. */
  match(httpMethod: string, path: string): Match | undefined
}

type Node = {
  path: string
  /** By name in lower case, or ANY. */
  methods: Map<string, RestMethod>
  literals: Map<string, Node>
  /** The child `{name}`. API Gateway allows one per node. */
  param?: { name: string; node: Node }
  /** The child `{name+}`, which matches the rest of the path. */
  greedy?: { name: string; node: Node }
}

const ANY = 'x-amazon-apigateway-any-method'

export function createRoutes(document: ApiDocument, functionOf: (uri: string) => string): Routes {
  const root = readTree(document, functionOf)
  return {
    match(httpMethod, path) {
      // Routing ignores a slash at the end. The event keeps it.
      const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
      const segments = trimmed.split('/').slice(1)
      return find(root, segments, 0, httpMethod, {})
    },
  }
}

// If a resource does not have the method, a less specific resource can match.
function find(
  node: Node,
  segments: string[],
  at: number,
  httpMethod: string,
  parameters: Record<string, string>,
): Match | undefined {
  const segment = segments[at]
  if (segment === undefined) return matchHere(node, httpMethod, parameters)
  const literal = node.literals.get(segment)
  const { param, greedy } = node
  return (
    (literal && find(literal, segments, at + 1, httpMethod, parameters)) ??
    (param && segment !== ''
      ? find(param.node, segments, at + 1, httpMethod, { ...parameters, [param.name]: segment })
      : undefined) ??
    (greedy &&
      matchHere(greedy.node, httpMethod, { ...parameters, [greedy.name]: segments.slice(at).join('/') }))
  )
}

function matchHere(
  node: Node,
  httpMethod: string,
  pathParameters: Record<string, string>,
): Match | undefined {
  const method = node.methods.get(httpMethod.toLowerCase()) ?? node.methods.get(ANY)
  return method && { resource: node.path, method, pathParameters }
}

function readTree({ paths, components }: ApiDocument, functionOf: (uri: string) => string): Node {
  const root = newNode('/')
  for (const [path, operations] of Object.entries(paths)) {
    const parts = path.split('/').filter(Boolean)
    const node = parts.reduce(childOf, root)
    for (const [method, operation] of Object.entries(operations)) {
      const route = `${method} ${path}`
      node.methods.set(method, readMethod(route, operation, components.securitySchemes, functionOf))
    }
  }
  return root
}

/** The child for this part of a path, which is created if it is missing. */
function childOf(parent: Node, part: string): Node {
  const path = `${parent.path === '/' ? '' : parent.path}/${part}`
  const name = /^\{(.+?)(\+?)\}$/.exec(part)
  if (!name) {
    const node = parent.literals.get(part) ?? newNode(path)
    parent.literals.set(part, node)
    return node
  }
  const kind = name[2] ? 'greedy' : 'param'
  const child = parent[kind] ?? { name: name[1] ?? '', node: newNode(path) }
  parent[kind] = child
  return child.node
}

function newNode(path: string): Node {
  return { path, methods: new Map(), literals: new Map() }
}
