// The whole API as one OpenAPI 3.1 document, built from declarations.
import type { Audience } from '../http/audience.ts'
import { type Endpoint, textsOfGroup } from '../http/endpoint.ts'
import { Pagination } from '../http/reply.ts'
import { API_FUNCTIONS } from '../service/api-functions.ts'
import { HEADER_PARAMETERS, HEADERS } from './headers.ts'
import { INTRODUCTION } from './introduction.ts'
import { operationIdOf, operationOf, type Parts } from './operation.ts'
import { type Json, openSchemas } from './schemas.ts'
import { webhooksOf } from './webhooks.ts'

/** `server` is the address that serves the API; by default the host that the document is read from. */
export function apiDocument(version: string, server = '/') {
  const parts: Parts = { schemas: openSchemas(), responses: {} }
  const { schemas, responses } = parts
  schemas.named(Pagination, 'data', 'Pagination')
  const paths = pathsOf(parts)
  const webhooks = webhooksOf(schemas)
  return withProse({
    openapi: '3.1.0',
    info: infoOf(version),
    servers: [{ url: server }],
    tags: tagsOf(),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `A token from \`POST /api/v1/auth/login\` or \`POST /api/v1/me/tokens\`. No endpoint issues tokens with
            the ability \`admin\`: the owner of the site creates them on the command line.`,
        },
      },
      headers: HEADERS,
      parameters: HEADER_PARAMETERS,
      responses,
      schemas: schemas.components,
    },
  })
}

/** Lists `auth` last, so that a tool that runs all operations in order does not log out before the others. */
function groups() {
  return Object.values(API_FUNCTIONS)
    .flatMap(({ slices }) => Object.entries(slices))
    .toSorted(([a], [b]) => Number(a === 'auth') - Number(b === 'auth'))
}

function pathsOf(parts: Parts): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const [slice, endpoints] of groups()) {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const operationId = operationIdOf(name, endpoint)
      const operation = operationOf({ operationId, tag: tagOf(slice, endpoint), endpoint }, parts)
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
    description: INTRODUCTION,
    license: { name: 'MIT', identifier: 'MIT' },
  }
}

const PREFIXES: Record<Audience, string> = { public: '', user: 'me', admin: 'admin' }

/** The slice, after the audience of this part of it: `posts`, `me: comments`, `admin: posts`. */
function tagOf(slice: string, { audience }: Endpoint): string {
  const parts = new Set([PREFIXES[audience], slice])
  parts.delete('')
  return [...parts].join(': ')
}

function tagsOf(): { name: string; description: string }[] {
  const tags = new Map<string, string>()
  for (const [slice, endpoints] of groups()) {
    for (const endpoint of Object.values(endpoints)) {
      const tag = tagOf(slice, endpoint)
      const text = textsOfGroup(endpoints)[endpoint.audience]
      if (!text) throw new Error(`The tag ${tag} has no text. Add one to the group of its endpoints.`)
      tags.set(tag, text)
    }
  }
  tags.set('events', 'Webhook deliveries: each event is sent to a subscription at most once, in no order.')
  return [...tags].map(([name, description]) => ({ name, description }))
}

/** Joins continued lines, which are indented in the source. Keeps paragraphs and lists. */
function unwrapped(text: string): string {
  return text.replace(/\n *\n */g, '\n\n').replace(/\n +/g, ' ')
}

/** Returns a copy of the value in which every description is unwrapped. */
function withProse<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (name, member) =>
    name === 'description' && typeof member === 'string' ? unwrapped(member) : member,
  )
}
