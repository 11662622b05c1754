// The document is valid and complete, and every value has a type, so that client generators can use it.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { apiDocument } from '../../shared/openapi/document.ts'
import { statusesOf } from '../support/check-answer.ts'
import { components, Response } from '../support/document.ts'

const document = apiDocument('1.0.0', 'https://content.example/live')

describe('the document', () => {
  it('has no errors and no warnings under the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const source = JSON.stringify(document)
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
    const found = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])
    expect(found).toEqual([])
  })

  it('gives every value a type', () => {
    expect(untypedSchemas(JSON.parse(JSON.stringify(document)))).toEqual([])
  })
})

/** An endpoint of each kind, with its query and header parameters and its statuses, written by hand. */
const EXPECTED: [operation: string, parameters: string, statuses: string][] = [
  ['GET /health', '', '200 429 500 503 504'],
  ['GET /posts', 'page per_page after category q order include If-None-Match', '200 304 422 429 500 503 504'],
  ['GET /posts/{slug}', 'If-None-Match Preview-Token', '200 304 404 422 429 500 503 504'],
  ['GET /preview', 'Preview-Token', '200 404 429 500 503 504'],
  ['POST /admin/batch', 'Idempotency-Key', '200 401 403 413 422 429 500 503 504'],
  ['POST /auth/login', '', '200 401 403 413 422 429 500 503 504'],
  ['POST /auth/register', '', '201 403 413 422 429 500 503 504'],
  ['POST /auth/logout', '', '200 401 403 413 429 500 503 504'],
  ['GET /me', '', '200 401 403 429 500 503 504'],
  ['POST /me/tokens', '', '201 401 403 413 422 429 500 503 504'],
  ['POST /admin/posts', 'Idempotency-Key', '201 401 403 409 413 422 429 500 503 504'],
  ['GET /admin/posts/{id}', 'If-None-Match', '200 304 401 403 404 429 500 503 504'],
  ['PATCH /admin/posts/{id}', 'If-Match', '200 401 403 404 412 413 422 429 500 503 504'],
  ['DELETE /admin/categories/{id}', 'If-Match', '200 401 403 404 412 413 429 500 503 504'],
  [
    'POST /admin/posts/{id}/publish',
    'If-Match Idempotency-Key',
    '200 401 403 404 409 412 413 422 429 500 503 504',
  ],
  ['POST /admin/webhooks/{id}/test', 'Idempotency-Key', '200 401 403 404 409 413 422 429 500 502 503 504'],
]

const Operation = z.object({
  parameters: z.array(
    z.object({ name: z.optional(z.string()), in: z.optional(z.string()), $ref: z.optional(z.string()) }),
  ),
  responses: z.record(z.string(), z.unknown()),
})
const HeaderNames = z.record(z.string(), z.object({ name: z.string() }))

/** The statuses of all responses. For `4XX` and `5XX`: the statuses of the error codes that they list. */
function statusesIn(responses: Record<string, unknown>): number[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const { $ref } = z.object({ $ref: z._default(z.string(), '') }).parse(response)
    const range = components.responses[$ref.split('/').at(-1) ?? '']
    return range ? [...new Set(statusesOf(Response.parse(range)))] : [Number(status)]
  })
}

describe.each(EXPECTED)('%s', (name, expectedParameters, statuses) => {
  const [method = '', path = ''] = name.split(' ')
  const operation = Operation.parse(document.paths[`/api/v1${path}`]?.[method.toLowerCase()])

  it(`has the parameters ${expectedParameters || '(none)'} and the statuses ${statuses}`, () => {
    const headers = HeaderNames.parse(document.components.parameters)
    const names = operation.parameters
      .filter(parameter => parameter.in !== 'path')
      .map(({ name, $ref = '' }) => name ?? headers[$ref.split('/').at(-1) ?? '']?.name)
    expect(names.filter(name => name !== 'X-Request-Id').join(' ')).toBe(expectedParameters)
    expect(statusesIn(operation.responses).join(' ')).toBe(statuses)
  })
})

describe('the failures of an operation', () => {
  it('are two responses, 4XX and 5XX', () => {
    const failures = Object.values(document.paths).flatMap(methods =>
      Object.values(methods).map(operation =>
        Object.keys(Operation.parse(operation).responses)
          .filter(status => !/^[23]/.test(status))
          .join(' '),
      ),
    )
    expect(new Set(failures)).toEqual(new Set(['4XX 5XX']))
  })
})

const TYPE_KEYWORDS = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'const', 'enum', 'not']
const EXAMPLE_KEYWORDS = new Set(['example', 'examples'])
const SCHEMA_KEYWORDS = new Set(['schema', 'items', 'additionalProperties'])
const SCHEMA_LIST_KEYWORDS = new Set(['properties', 'schemas', 'anyOf', 'oneOf', 'allOf'])

/** The paths of schemas without a type, which a client generator turns into `any`. */
function untypedSchemas(value: unknown, path: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return []
  const [parent = '', name = ''] = path.slice(-2)
  const isSchema = SCHEMA_LIST_KEYWORDS.has(parent) || SCHEMA_KEYWORDS.has(name)
  // Generators leave out what has an array of unknown items. In any JSON they are any JSON.
  const isOpen = 'type' in value && [value.type].flat().includes('array') && !('items' in value)
  const isAny = name === 'items' && Object.keys(value).length === 0
  const isUntyped = isSchema && !isAny && (isOpen || !TYPE_KEYWORDS.some(key => key in value))
  const nested = Object.entries(value)
    .filter(([key]) => !EXAMPLE_KEYWORDS.has(key))
    .flatMap(([key, member]) => untypedSchemas(member, [...path, key]))
  return isUntyped ? [path.join('/'), ...nested] : nested
}
