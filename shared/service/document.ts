// The whole API as one OpenAPI 3.1 document, made of the declarations.
import { AUDIENCE_LIMITS, type Audience } from '../http/audience.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { HEADER_PARAMETERS, HEADERS } from '../openapi/headers.ts'
import { operationIdOf, operationOf, type Parts } from '../openapi/operation.ts'
import { type Json, openSchemas } from '../openapi/schemas.ts'
import { webhooksOf } from '../openapi/webhooks.ts'
import { API_FUNCTIONS } from './api.ts'

export type ApiDocument = {
  openapi: string
  info: Json
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Json>
  webhooks: Json
  components: Json
}

/** With paths from the root of the host that it is read from. */
export function apiDocument(version: string): ApiDocument {
  const parts: Parts = { schemas: openSchemas(), responses: {} }
  parts.schemas.components.Pagination = PAGINATION
  const paths = pathsOf(parts)
  const webhooks = webhooksOf(parts.schemas)
  return {
    openapi: '3.1.0',
    info: infoOf(version),
    servers: [{ url: '/' }],
    tags: tagsOf(),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'From `POST /api/v1/auth/login`; with the ability `admin` from the owner of the site.',
        },
      },
      headers: HEADERS,
      parameters: HEADER_PARAMETERS,
      responses: parts.responses,
      schemas: parts.schemas.components,
    },
  }
}

function pathsOf(parts: Parts): Record<string, Json> {
  const paths: Record<string, Json> = {}
  const operationIds = new Set<string>()
  for (const [group, { endpoints }] of Object.entries(API_FUNCTIONS)) {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const operationId = operationIdOf(name, endpoint)
      if (operationIds.has(operationId)) {
        throw new Error(`Two endpoints are called ${operationId}: give one of them another name.`)
      }
      operationIds.add(operationId)
      const operation = operationOf(operationId, tagOf(group, endpoint), endpoint, parts)
      paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
    }
  }
  return paths
}

function infoOf(version: string): Json {
  return {
    title: 'Headless content service',
    version,
    summary:
      'Posts, pages and categories for readers, their management for admins, signed webhooks for both.',
    description: `Every answer is an envelope: \`success\`, \`message\`, and \`data\` or \`errors\`. Clients branch on
\`errors.code\`, never on \`message\`. Within v1 members may be added and none changes or goes. Times are whole
seconds in UTC. Bodies are JSON of at most 2 MiB; unknown members and query parameters are ignored, and \`X-Ignored\`
names them. A method that a path does not have is a 404, as an unknown path is.`,
    license: { name: 'MIT', identifier: 'MIT' },
  }
}

function perMinute(audience: Audience): string {
  const { perMinute: most, per } = AUDIENCE_LIMITS[audience]
  return `${most} requests a minute and ${per === 'ip' ? 'address' : 'user'}`
}

const AUDIENCES: Record<Audience, { prefix: string; description: string }> = {
  public: { prefix: '', description: `For everybody: ${perMinute('public')}.` },
  user: { prefix: 'me', description: `For users, with their token: ${perMinute('user')}.` },
  admin: {
    prefix: 'admin',
    description: `For admins and integrations, by the ability \`admin\`: ${perMinute('admin')}.`,
  },
}

/** The slice, after the audience that this part of it is for: `posts`, `me: comments`, `admin: posts`. */
function tagOf(group: string, { audience }: Endpoint): string {
  const words = new Set([AUDIENCES[audience].prefix, group.replace(/^admin-/, '')])
  words.delete('')
  return [...words].join(': ')
}

function tagsOf(): ApiDocument['tags'] {
  const tags = new Map<string, string>()
  for (const [group, { endpoints }] of Object.entries(API_FUNCTIONS)) {
    for (const endpoint of Object.values(endpoints)) {
      tags.set(tagOf(group, endpoint), AUDIENCES[endpoint.audience].description)
    }
  }
  tags.set('events', 'What subscribers of webhooks are sent, once each and in no order.')
  return [...tags].map(([name, description]) => ({ name, description }))
}

function integer(description: string): Json {
  return { type: 'integer', format: 'int64', description }
}

const PAGINATION: Json = {
  type: 'object',
  required: ['current_page', 'per_page', 'total', 'last_page', 'from', 'to'],
  properties: {
    current_page: integer('The page that was asked for.'),
    per_page: integer('How many items a page has.'),
    total: integer('How many items there are.'),
    last_page: integer('At least 1.'),
    from: integer('The number of the first item of this page, 0 past the end.'),
    to: integer('The number of its last item, 0 past the end.'),
  },
}
