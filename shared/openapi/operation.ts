// Describes an endpoint as an operation of the document.
import { type Endpoint, isBodyOptional, showsTag } from '../http/endpoint.ts'
import { CURSOR_TEXT } from '../http/parameters.ts'
import { type Cursor, paginationOf, success } from '../http/reply.ts'
import { failuresOf } from './faults.ts'
import { answerHeaders, headerParametersOf } from './headers.ts'
import type { Json, Schemas } from './schemas.ts'

/** Components that operations share. Each operation adds its named schemas and its failures. */
export type Parts = { schemas: Schemas; responses: Record<string, Json> }

export type Operation = { operationId: string; tag: string; endpoint: Endpoint }

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

/** The name of the handler, with a prefix for admins, because readers have handlers of the same names. */
export function operationIdOf(name: string, { audience }: Endpoint): string {
  return audience === 'admin' ? `admin${capitalized(name)}` : name
}

export function operationOf({ operationId, tag, endpoint }: Operation, { schemas, responses }: Parts): Json {
  const { method, summary, description, ability, body } = endpoint
  const named = capitalized(operationId)
  return {
    operationId,
    tags: [tag],
    // Unlike descriptions, a summary is not Markdown.
    summary: summary.replaceAll('`', ''),
    description: [...(description ? [description] : []), accessTo(endpoint)].join('\n\n'),
    security: ability === null ? [] : [{ bearer: [] }],
    parameters: [...parametersOf(endpoint, schemas), ...headerParametersOf(operationId, endpoint)],
    ...(body && { requestBody: requestBodyOf(endpoint, body, schemas, `${named}Input`) }),
    responses: {
      [endpoint.status]: successOf(endpoint, schemas, `${named}Data`),
      ...(method === 'GET' &&
        showsTag(endpoint) && { 304: { description: 'Not modified.', headers: answerHeaders(endpoint) } }),
      ...failuresOf(endpoint, responses),
    },
  }
}

function accessTo({ ability, limit, emits }: Endpoint): string {
  const token =
    ability === null
      ? 'Needs no token.'
      : ability === 'any'
        ? 'Needs a valid token with any ability.'
        : `Needs a token with the ability \`${ability}\`.`
  const per = limit.per === 'ip' ? 'IP address' : 'user'
  const bucket = `Limit: ${limit.perMinute} requests a minute per ${per} (\`${limit.scope}\`).`
  const events = emits.length > 0 ? ` May fire ${emits.map(name => `\`${name}\``).join(', ')}.` : ''
  return `${token} ${bucket}${events}`
}

function parametersOf({ params, query, example }: Endpoint, schemas: Schemas): Json[] {
  return [
    { place: 'path' as const, schema: params, values: example.params ?? {} },
    { place: 'query' as const, schema: query, values: example.query ?? {} },
  ].flatMap(({ place, schema, values }) => {
    const { properties = {}, required = [] } = schemas.of(schema, 'parameters')
    const requiredNames = new Set(Array.isArray(required) ? required : [])
    return Object.entries(Object(properties)).map(([name, property]) => {
      const { description, ...schema }: Json = Object(property)
      return {
        name,
        in: place,
        description,
        ...(requiredNames.has(name) && { required: true }),
        ...(name in values && { example: values[name] }),
        schema,
      }
    })
  })
}

function requestBodyOf(
  endpoint: Endpoint,
  body: NonNullable<Endpoint['body']>,
  schemas: Schemas,
  name: string,
): Json {
  return {
    description: 'At most 2 MiB of JSON, whatever the `Content-Type` says.',
    required: !isBodyOptional(endpoint),
    content: {
      'application/json': { schema: schemas.named(body, 'body', name), example: endpoint.example.body },
    },
  }
}

function successOf(endpoint: Endpoint, schemas: Schemas, name: string): Json {
  const { message, data, isPaginated, hasCursor } = endpoint
  const { data: example } = endpoint.example
  return {
    description: message,
    headers: answerHeaders(endpoint),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: [
            'success',
            'message',
            'data',
            ...(isPaginated ? ['pagination'] : []),
            ...(hasCursor ? ['cursor'] : []),
          ],
          properties: {
            success: { type: 'boolean', const: true, description: 'True on every success.' },
            message: { type: 'string', description: 'A sentence for people. It may change.' },
            data: { ...schemas.named(data, 'data', name), description: dataText(endpoint, example) },
            ...(isPaginated && {
              pagination: {
                $ref: '#/components/schemas/Pagination',
                description: hasCursor ? `${PAGE} ${UNCOUNTED}` : PAGE,
              },
            }),
            ...(hasCursor && { cursor: cursorSchema(endpoint) }),
          },
        },
        example: answerOf(endpoint, example),
      },
    },
  }
}

const PAGE = 'Which part of the list this page is.'
const UNCOUNTED = `Read from a cursor on, a list is not counted: \`from\` and \`to\` are positions in this walk, and \`total\` and
  \`last_page\` say only whether more follows.`

const MORE = 'Whether there are more changes already: ask again at once.'

function cursorSchema({ saysMore }: Endpoint): Json {
  return {
    type: 'object',
    description: 'Where the list goes on.',
    required: ['next', ...(saysMore ? ['more'] : [])],
    properties: {
      next: { type: ['string', 'null'], description: CURSOR_TEXT },
      ...(saysMore && { more: { type: 'boolean', description: MORE } }),
    },
  }
}

function answerOf({ message, isPaginated, hasCursor, saysMore }: Endpoint, data: unknown): unknown {
  if (!Array.isArray(data)) return success(message, data)
  const cursor: Cursor | undefined = hasCursor ? { ...(saysMore && { more: false }), next: null } : undefined
  return success(message, data, {
    pagination: isPaginated ? paginationOf(1, 12, data.length) : undefined,
    cursor,
  })
}

function dataText({ isPaginated, hasCursor }: Endpoint, example: unknown): string {
  if (Array.isArray(example)) return isPaginated || hasCursor ? 'The items of this page.' : 'All items.'
  return Object.keys(Object(example)).length > 0 ? 'The result.' : 'Always empty.'
}
