// Describes an endpoint as an operation of the document.
import { commonText } from '../http/descriptions.ts'
import { abilitiesAtTimes, type Endpoint, isBodyOptional, showsTag } from '../http/endpoint.ts'
import { paginationOf, success } from '../http/envelope.ts'
import type { Guide } from '../http/guide.ts'
import { failuresOf } from './faults.ts'
import { answerHeaders, headerParametersOf } from './headers.ts'
import { described, type Json, type Schemas } from './schemas.ts'

/** Components that operations share. Each operation adds its named schemas and its failures. */
export type Parts = { schemas: Schemas; responses: Record<string, Json> }

export type Operation = { operationId: string; tag: string; guide: Guide }

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

/** The name of the handler, with a prefix for admins, because readers have handlers of the same names. */
export function operationIdOf(name: string, { audience }: Endpoint): string {
  return audience === 'admin' ? `admin${capitalized(name)}` : name
}

export function operationOf({ operationId, tag, guide }: Operation, { schemas, responses }: Parts): Json {
  const { endpoint } = guide
  const { method, summary, ability, body } = endpoint
  const named = capitalized(operationId)
  return {
    operationId,
    tags: [tag],
    // Unlike descriptions, a summary is not Markdown.
    summary: summary.replaceAll('`', ''),
    description: [...(guide.description ? [guide.description] : []), accessTo(endpoint)].join('\n\n'),
    // The token comes first, because some tools use only the first requirement.
    security:
      ability !== null ? [{ bearer: [] }] : abilitiesAtTimes(endpoint).length > 0 ? [{ bearer: [] }, {}] : [],
    parameters: [...parametersOf(guide, schemas), ...headerParametersOf(operationId, endpoint)],
    ...(body && { requestBody: requestBodyOf(guide, body, schemas, `${named}Input`) }),
    responses: {
      [endpoint.status]: successOf(guide, schemas, `${named}Data`),
      ...(method === 'GET' &&
        showsTag(endpoint) && { 304: { description: 'Not modified.', headers: answerHeaders(endpoint) } }),
      ...failuresOf(endpoint, responses),
    },
  }
}

function accessTo({ ability, abilityWith, limit, emits }: Endpoint): string {
  const token =
    ability === null
      ? 'Needs no token.'
      : ability === 'any'
        ? 'Needs a valid token with any ability.'
        : `Needs a token with the ability \`${ability}\`.`
  const atTimes = Object.entries(abilityWith).map(
    ([name, needed]) => ` With \`${name}\` it needs a token with the ability \`${needed}\`.`,
  )
  const per = limit.per === 'ip' ? 'IP address' : 'user'
  const bucket = `Limit: ${limit.perMinute} requests a minute per ${per} (\`${limit.scope}\`).`
  const events = emits.length > 0 ? ` May fire ${emits.map(name => `\`${name}\``).join(', ')}.` : ''
  return `${token}${atTimes.join('')} ${bucket}${events}`
}

function parametersOf({ endpoint, parameters, params = {}, query = {} }: Guide, schemas: Schemas): Json[] {
  return [
    { place: 'path' as const, schema: endpoint.params, values: params },
    { place: 'query' as const, schema: endpoint.query, values: query },
  ].flatMap(({ place, schema, values }) => {
    const { properties = {}, required = [] } = schemas.of(schema, 'parameters')
    const requiredNames = new Set(Array.isArray(required) ? required : [])
    return Object.entries(Object(properties)).map(([name, property]) => {
      const text = parameters[name] ?? commonText(place, name, endpoint)
      if (text === undefined) throw new Error(`The parameter ${name} of ${endpoint.path} has no text.`)
      const { description, ...examples } = described(text)
      return {
        name,
        in: place,
        description,
        ...(requiredNames.has(name) && { required: true }),
        ...(name in values && { example: values[name] }),
        schema: { ...Object(property), ...examples },
      }
    })
  })
}

function requestBodyOf(
  { endpoint, body: example }: Guide,
  body: NonNullable<Endpoint['body']>,
  schemas: Schemas,
  name: string,
): Json {
  return {
    description: 'At most 2 MiB of JSON, whatever the `Content-Type` says.',
    required: !isBodyOptional(endpoint),
    content: { 'application/json': { schema: schemas.named(body, 'body', name), example } },
  }
}

function successOf({ endpoint, data: example }: Guide, schemas: Schemas, name: string): Json {
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
            success: { type: 'boolean', const: true, description: 'True on every success.' },
            message: { type: 'string', description: 'A sentence for people. It may change.' },
            data: { ...schemas.named(data, 'data', name), description: dataText(endpoint, example) },
            ...(isPaginated && {
              pagination: {
                $ref: '#/components/schemas/Pagination',
                description: 'Which part of the list this page is.',
              },
            }),
          },
        },
        example: answerOf(endpoint, example),
      },
    },
  }
}

function answerOf({ message, isPaginated }: Endpoint, data: unknown): unknown {
  return isPaginated && Array.isArray(data)
    ? success(message, data, paginationOf(1, 12, data.length))
    : success(message, data)
}

function dataText({ isPaginated }: Endpoint, example: unknown): string {
  if (Array.isArray(example)) return isPaginated ? 'The items of this page.' : 'All items.'
  return Object.keys(Object(example)).length > 0 ? 'The result.' : 'Always empty.'
}
