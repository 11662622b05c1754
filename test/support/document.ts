// The OpenAPI document as tests compare answers with it: undescribed members are not allowed.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import * as z from 'zod/mini'
import { apiDocument } from '../../shared/openapi/document.ts'

const Json = z.object({ 'application/json': z.object({ schema: z.unknown() }) })
export const Response = z.object({
  headers: z._default(z.record(z.string(), z.object({ $ref: z.string() })), {}),
  content: z.optional(Json),
})
export type Response = z.infer<typeof Response>
const Webhook = z.object({
  parameters: z.array(z.object({ name: z.string(), required: z.boolean(), schema: z.unknown() })),
  requestBody: z.object({ content: Json }),
})
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), Response])) }),
    ),
  ),
  webhooks: z.record(z.string(), z.object({ post: Webhook })),
  components: z.object({
    headers: z.record(z.string(), z.object({ required: z._default(z.boolean(), false) })),
    responses: z.record(z.string(), Response),
    schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
  }),
})

/** Clients must ignore unknown members; in tests, a member that the document does not describe is a fault. */
function withoutUnknownMembers(_: string, value: unknown): unknown {
  const schema = Object(value)
  const isOpen = schema.type === 'object' && schema.properties && !('additionalProperties' in schema)
  return isOpen ? { ...schema, additionalProperties: false } : value
}

const SCHEMAS = '#/components/schemas/'
const text = JSON.stringify(apiDocument('1.0.0'), withoutUnknownMembers).replaceAll(
  `"$ref":"${SCHEMAS}`,
  '"$ref":"/',
)
export const { paths, webhooks, components } = Document.parse(JSON.parse(text))

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addFormat('iri', URL.canParse)
for (const [name, schema] of Object.entries(components.schemas)) ajv.addSchema(schema, `/${name}`)

const compiled = new Map<unknown, ValidateFunction>()
/** Compiles a schema on its first use. */
function validatorOf(schema: unknown): ValidateFunction {
  const existing = compiled.get(schema)
  if (existing) return existing
  const validate = ajv.compile(Object(schema))
  compiled.set(schema, validate)
  return validate
}

/** The faults of a value by a schema of the document, if any; `name` is the value's name in the text. */
export function faultBy(schema: unknown, value: unknown, name: string): string | undefined {
  const validate = validatorOf(schema)
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: name })
}
