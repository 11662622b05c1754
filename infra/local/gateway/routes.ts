// Finds the method of the REST API for a request, by API Gateway's rules of precedence.
import type { Resource, Template } from '../template/template.ts'
import { type RestMethod, readMethod } from './rest-method.ts'

export type Match = {
  /** The declared path of the resource, such as `/api/v1/posts/{slug}`. */
  resource: string
  resourceId: string
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
  id: string
  methods: Map<string, RestMethod>
  literals: Map<string, Node>
  /** The child `{name}`. API Gateway allows one per node. */
  param?: { name: string; node: Node }
  /** The child `{name+}`, which matches the rest of the path. */
  greedy?: { name: string; node: Node }
}

export function createRoutes(template: Template, resolve: (value: unknown) => unknown): Routes {
  const root = readTree(template, resolve)
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
  const method = node.methods.get(httpMethod) ?? node.methods.get('ANY')
  return method && { resource: node.path, resourceId: node.id, method, pathParameters }
}

function readTree(template: Template, resolve: (value: unknown) => unknown): Node {
  const root = newNode('/', 'root')
  const nodes = new Map<string, Node>()
  const declared = new Map(
    template.resourcesOf('AWS::ApiGateway::Resource').map(resource => [resource.id, resource]),
  )

  // A parent is a Ref to a resource, or a GetAtt of the API for the root.
  function nodeOf(reference: unknown): Node {
    const [id] = template.referencesIn(reference, 'AWS::ApiGateway::Resource')
    const resource = id === undefined ? undefined : declared.get(id)
    return resource ? nodeFor(resource) : root
  }
  function nodeFor(resource: Resource): Node {
    const existing = nodes.get(resource.id)
    if (existing) return existing
    const parent = nodeOf(resource.properties.ParentId)
    const part = String(resource.properties.PathPart)
    const node = newNode(`${parent.path === '/' ? '' : parent.path}/${part}`, resource.id)
    addChild(parent, part, node)
    nodes.set(resource.id, node)
    return node
  }

  for (const resource of template.resourcesOf('AWS::ApiGateway::Method')) {
    const method = readMethod(resource, template, resolve)
    nodeOf(resource.properties.ResourceId).methods.set(method.httpMethod, method)
  }
  return root
}

function addChild(parent: Node, part: string, node: Node) {
  const name = /^\{(.+?)(\+?)\}$/.exec(part)
  if (!name) {
    parent.literals.set(part, node)
  } else if (name[2]) {
    parent.greedy = { name: name[1] ?? '', node }
  } else {
    parent.param = { name: name[1] ?? '', node }
  }
}

function newNode(path: string, id: string): Node {
  return { path, id, methods: new Map(), literals: new Map() }
}
