// Builds the OpenAPI 3.1 document of the whole API from the declarations.
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

/** The paths are relative to the host that serves the document. */
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
          description:
            'A token from `POST /api/v1/auth/login`. The owner of the site gets the ability `admin`.',
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
        throw new Error(`Two endpoints have the operation id ${operationId}. Rename one of them.`)
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
      'Posts, pages and categories for readers, their management for admins, and signed webhooks for both.',
    description: `Every response is an envelope with \`success\`, \`message\`, and \`data\` or \`errors\`.
Branch on \`errors.code\`, never on \`message\`. Within v1, fields may be added; none is changed or removed.
Times are in UTC, in whole seconds. Request bodies are JSON of at most 2 MiB. Unknown fields and query
parameters are ignored and listed in the header \`X-Ignored\`. An unknown path is a 404, and so is a method
that a path does not have.`,
    license: { name: 'MIT', identifier: 'MIT' },
  }
}

function perMinute(audience: Audience): string {
  const { perMinute: most, per } = AUDIENCE_LIMITS[audience]
  return `${most} requests a minute for each ${per === 'ip' ? 'address' : 'user'}`
}

const AUDIENCES: Record<Audience, { prefix: string; description: string }> = {
  public: { prefix: '', description: `Public. At most ${perMinute('public')}.` },
  user: { prefix: 'me', description: `For users, with their token. At most ${perMinute('user')}.` },
  admin: {
    prefix: 'admin',
    description: `For admins and integrations, with the ability \`admin\`. At most ${perMinute('admin')}.`,
  },
}

/** The slice, after the audience of this part of it: `posts`, `me: comments`, `admin: posts`. */
function tagOf(group: string, { audience }: Endpoint): string {
  const parts = new Set([AUDIENCES[audience].prefix, group.replace(/^admin-/, '')])
  parts.delete('')
  return [...parts].join(': ')
}

function tagsOf(): ApiDocument['tags'] {
  const tags = new Map<string, string>()
  for (const [group, { endpoints }] of Object.entries(API_FUNCTIONS)) {
    for (const endpoint of Object.values(endpoints)) {
      tags.set(tagOf(group, endpoint), AUDIENCES[endpoint.audience].description)
    }
  }
  tags.set('events', 'Webhook deliveries: each event is sent to each subscription at most once, in no order.')
  return [...tags].map(([name, description]) => ({ name, description }))
}

function integer(description: string): Json {
  return { type: 'integer', format: 'int64', description }
}

const PAGINATION: Json = {
  type: 'object',
  required: ['current_page', 'per_page', 'total', 'last_page', 'from', 'to'],
  properties: {
    current_page: integer('The number of this page, as requested.'),
    per_page: integer('The number of items on a page.'),
    total: integer('The number of items on all pages.'),
    last_page: integer('The number of the last page, at least 1.'),
    from: integer('The number of the first item on this page; 0 past the last page.'),
    to: integer('The number of the last item on this page; 0 past the last page.'),
  },
}
