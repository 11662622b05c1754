// One endpoint as an operation of the document.
import { abilitiesAtTimes, type Endpoint, isBodyOptional, showsTag } from '../http/endpoint.ts'
import { failuresOf } from './faults.ts'
import { answerHeaders, headerParametersOf } from './headers.ts'
import type { Json, Schemas } from './schemas.ts'

export type Parts = { schemas: Schemas; responses: Record<string, Json> }

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

/** The name of the handler; those for admins say so, as readers have some of the same name. */
export function operationIdOf(name: string, { audience }: Endpoint): string {
  return audience === 'admin' ? `admin${capitalized(name)}` : name
}

export function operationOf(operationId: string, tag: string, endpoint: Endpoint, parts: Parts): Json {
  const { method, summary, ability, body } = endpoint
  const named = capitalized(operationId)
  return {
    operationId,
    tags: [tag],
    // Alone of all texts it is not Markdown.
    summary: summary.replaceAll('`', ''),
    description: descriptionOf(endpoint),
    security:
      ability !== null ? [{ bearer: [] }] : abilitiesAtTimes(endpoint).length > 0 ? [{}, { bearer: [] }] : [],
    parameters: [...parametersOf(endpoint, parts.schemas), ...headerParametersOf(endpoint)],
    ...(body && { requestBody: requestBodyOf(endpoint, body, parts.schemas, `${named}Input`) }),
    responses: {
      [endpoint.status]: successOf(endpoint, parts.schemas, `${named}Data`),
      ...(method === 'GET' &&
        showsTag(endpoint) && {
          304: { description: 'You have it already.', headers: answerHeaders(endpoint) },
        }),
      ...failuresOf(endpoint, parts.responses),
    },
  }
}

function descriptionOf({ ability, abilityWith, limit, emits }: Endpoint): string {
  const token =
    ability === null
      ? 'No token is needed.'
      : ability === 'any'
        ? 'Needs a valid token, whatever it may do.'
        : `Needs a token with the ability \`${ability}\`.`
  const who = limit.per === 'ip' ? 'address' : 'user'
  const bucket = `At most ${limit.perMinute} requests a minute and ${who} (\`${limit.scope}\`).`
  const events = emits.length > 0 ? ` Events: ${emits.map(name => `\`${name}\``).join(', ')}.` : ''
  const atTimes = Object.entries(abilityWith).map(
    ([name, needed]) => ` With \`${name}\` it needs a token with the ability \`${needed}\`.`,
  )
  return `${token}${atTimes.join('')} ${bucket}${events}`
}

function parametersOf({ params, query }: Endpoint, schemas: Schemas): Json[] {
  return [
    { place: 'path', schema: params },
    { place: 'query', schema: query },
  ].flatMap(({ place, schema }) => {
    const { properties = {}, required = [] } = schemas.of(schema, 'parameters')
    const mustBe = new Set(Array.isArray(required) ? required : [])
    return Object.entries(Object(properties)).map(([name, each]) => ({
      name,
      in: place,
      ...(mustBe.has(name) && { required: true }),
      schema: each,
    }))
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
    content: { 'application/json': { schema: schemas.named(body, 'body', name) } },
  }
}

function successOf(endpoint: Endpoint, schemas: Schemas, name: string): Json {
  const { message, data, isPaginated } = endpoint
  return {
    description: message,
    headers: answerHeaders(endpoint),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['success', 'message', 'data', ...(isPaginated ? ['pagination'] : [])],
          properties: {
            success: { type: 'boolean', const: true },
            message: { type: 'string', description: 'For people; it may change.' },
            data: schemas.named(data, 'data', name),
            ...(isPaginated && { pagination: { $ref: '#/components/schemas/Pagination' } }),
          },
        },
      },
    },
  }
}
