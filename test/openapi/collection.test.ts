// Calls every operation of the document in order with only its examples, as Postman does with a collection.
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { DEMO_FILE } from '../../infra/local/import-content.ts'
import { apiDocument } from '../../shared/openapi/document.ts'
import { operatorOn } from '../operator/operator-world.ts'
import { rawRequest } from '../support/raw.ts'
import { useWorld } from '../support/world.ts'

/** Operations that need more: a changed setting, a token from a mail, or a resolved ticket. */
const FAILURES = {
  // It needs the token of a preview.
  'GET /api/v1/preview': '404 NOT_FOUND',
  'POST /api/v1/posts/{slug}/comments': '403 FORBIDDEN',
  'POST /api/v1/newsletter/confirm': '422 VALIDATION_ERROR',
  'POST /api/v1/newsletter/unsubscribe': '422 VALIDATION_ERROR',
  'POST /api/v1/me/tickets/{id}/reopen': '422 VALIDATION_ERROR',
  'POST /api/v1/auth/verify-email': '422 VALIDATION_ERROR',
  'POST /api/v1/auth/reset-password': '422 VALIDATION_ERROR',
  // The subscription was deleted before.
  'POST /api/v1/admin/webhooks/{id}/rotate-secret': '404 NOT_FOUND',
  'GET /api/v1/admin/webhooks/{id}/deliveries': '404 NOT_FOUND',
  'POST /api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver': '404 NOT_FOUND',
  'POST /api/v1/admin/webhooks/{id}/redeliver': '404 NOT_FOUND',
  'GET /api/v1/admin/webhooks/{id}/deliveries/{delivery_id}': '404 NOT_FOUND',
}
/** Sends a request to example.com. */
const SKIPPED = 'POST /api/v1/admin/webhooks/{id}/test'

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  example: z.optional(z.unknown()),
  schema: z.object({
    default: z.optional(z.unknown()),
    enum: z.optional(z.array(z.unknown())),
    examples: z.optional(z.array(z.unknown())),
  }),
})
type Parameter = z.infer<typeof Parameter>
const Operation = z.object({
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(z.union([z.object({ $ref: z.string() }), Parameter])),
  requestBody: z.optional(
    z.object({ content: z.object({ 'application/json': z.object({ example: z.unknown() }) }) }),
  ),
})

const FailureAnswer = z.object({ errors: z._default(z.object({ code: z.string() }), { code: '' }) })

const document = apiDocument('1.0.0')
const shared = z.record(z.string(), Parameter).parse(document.components.parameters)

function parameterOf(value: { $ref: string } | Parameter): Parameter {
  const parameter = '$ref' in value ? shared[value.$ref.split('/').at(-1) ?? ''] : value
  if (!parameter) throw new Error(`The document has no ${JSON.stringify(value)}.`)
  return parameter
}

function exampleOf({ example, schema }: Parameter): string | undefined {
  const value = example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0]
  return value === undefined ? undefined : String(value)
}

const world = useWorld({ isNew: true, settings: {} })
beforeAll(async () => {
  await operatorOn(world).json(['import', DEMO_FILE])
})

async function call(method: string, path: string, operation: unknown): Promise<string> {
  const { parameters, requestBody, security } = Operation.parse(operation)
  const all = parameters.map(parameterOf)
  const examplesIn = (location: Parameter['in']) =>
    all
      .filter(parameter => parameter.in === location)
      .flatMap(parameter => {
        const value = exampleOf(parameter)
        return value === undefined ? [] : [[parameter.name, value] as const]
      })
  const values = Object.fromEntries(examplesIn('path'))
  const query = new URLSearchParams(Object.fromEntries(examplesIn('query')))
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))
  const needsToken = security.some(scheme => 'bearer' in scheme)
  const headers = {
    ...Object.fromEntries(examplesIn('header')),
    ...(needsToken && { Authorization: `Bearer ${world.admin}` }),
  }
  const body = requestBody && { body: JSON.stringify(requestBody.content['application/json'].example) }
  const answer = await rawRequest(world.baseUrl, method, `${url}?${query}`, { headers, ...body })
  const { errors } = FailureAnswer.parse(answer.json)
  return `${answer.status} ${errors.code}`.trim()
}

it('runs a collection of all operations on the demo content with only a token', async () => {
  const failures: Record<string, string> = {}
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [name, operation] of Object.entries(methods)) {
      const method = name.toUpperCase()
      if (`${method} ${path}` === SKIPPED) continue
      const status = await call(method, path, operation)
      if (!status.startsWith('2')) failures[`${method} ${path}`] = status
    }
  }
  expect(failures).toEqual(FAILURES)
})
