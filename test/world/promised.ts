// Every answer of an endpoint is held against the API's document: its status, its headers, each member of its body.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { z } from 'zod'
import { apiDocument } from '../../shared/openapi/document.ts'

export type Answered = {
  method: string
  /** As it was asked for, with or without a query. */
  path: string
  status: number
  header: (name: string) => string | null | undefined
  /** Undefined where there is none to look at: for HEAD, or packed. */
  body: unknown
}

const Response = z.object({
  headers: z.record(z.string(), z.object({ $ref: z.string() })).default({}),
  content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }).optional(),
})
type Response = z.infer<typeof Response>
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), Response])) }),
    ),
  ),
  components: z.object({
    headers: z.record(z.string(), z.object({ required: z.boolean().default(false) })),
    responses: z.record(z.string(), Response),
    schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
  }),
})

/** Clients must bear members that they do not know; here one that the document does not have is a fault. */
const closed = (_: string, value: unknown): unknown => {
  const schema = Object(value)
  const isOpen = schema.type === 'object' && schema.properties && !('additionalProperties' in schema)
  return isOpen ? { ...schema, additionalProperties: false } : value
}

const SCHEMAS = '#/components/schemas/'
const text = JSON.stringify(apiDocument('1.0.0'), closed).replaceAll(`"$ref":"${SCHEMAS}`, '"$ref":"/')
const { paths, components } = Document.parse(JSON.parse(text))

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addFormat('iri', URL.canParse)
for (const [name, schema] of Object.entries(components.schemas)) ajv.addSchema(schema, `/${name}`)

type Operation = { name: string; pattern: RegExp; responses: Map<string, Response> }

const responseOf = (given: { $ref: string } | Response): Response => {
  const found = '$ref' in given ? components.responses[given.$ref.split('/').at(-1) ?? ''] : given
  if (!found) throw new Error(`The document refers to what it does not have: ${JSON.stringify(given)}`)
  return found
}

const operations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    pattern: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    responses: new Map(Object.entries(responses).map(([status, given]) => [status, responseOf(given)])),
  })),
)

const compiled = new Map<unknown, ValidateFunction>()
const validatorOf = (schema: unknown): ValidateFunction => {
  const known = compiled.get(schema)
  if (known) return known
  const validate = ajv.compile(Object(schema))
  compiled.set(schema, validate)
  return validate
}

/** Throws what is not as the document says. A path and method that it does not have are not its business. */
export const checkAnswer = ({ method, path, status, header, body }: Answered): void => {
  const asked = `${method === 'HEAD' ? 'GET' : method} ${path.split('?')[0]}`
  const operation = operations.find(({ pattern }) => pattern.test(asked))
  if (!operation) return
  const fault = faultOf(operation, { status, header, body })
  if (fault) throw new Error(`${operation.name}, asked as ${method} ${path}: ${fault}`)
}

/** Headers that mean something where they stand; the others are on every answer. */
const TELLING = new Set(['ETag', 'Retry-After', 'Idempotent-Replayed'])

const faultOf = ({ responses }: Operation, { status, header, body }: Omit<Answered, 'method' | 'path'>) => {
  const shown = body === undefined ? '' : `: ${JSON.stringify(body).slice(0, 2_000)}`
  const response = responses.get(String(status))
  if (!response) return `the document does not have the status ${status}${shown}`
  for (const [name, { required }] of Object.entries(components.headers)) {
    const [isThere, isDescribed] = [Boolean(header(name)), name in response.headers]
    if (isThere && !isDescribed && TELLING.has(name))
      return `${status} carries ${name}, which the document does not have`
    if (!isThere && isDescribed && required) return `${status} has to carry ${name}`
  }
  if (!response.content || body === undefined) return undefined
  const validate = validatorOf(response.content['application/json'].schema)
  return validate(body)
    ? undefined
    : `${ajv.errorsText(validate.errors, { dataVar: String(status) })}${shown}`
}
