// Reads a synthesized template for tests: resources by type, the policies of roles, the document of the API.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import * as z from 'zod/mini'

const Properties = z.record(z.string(), z.unknown())
const File = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      DeletionPolicy: z.optional(z.string()),
      UpdatePolicy: z.optional(z.unknown()),
      DependsOn: z._default(z.union([z.array(z.string()), z.string()]), []),
      Properties: z._default(Properties, {}),
    }),
  ),
  Parameters: z.record(
    z.string(),
    z.object({
      Default: z.string(),
      Description: z.optional(z.string()),
      AllowedPattern: z._default(z.string(), '.*'),
      MaxLength: z.optional(z.number()),
    }),
  ),
})

/** By default of the assembly, which has the values of no stage. */
export function readTemplate(assembly = inject('assembly')) {
  const text = readFileSync(join(assembly, 'ContentService.template.json'), 'utf8')
  const { Resources, Parameters } = File.parse(JSON.parse(text))
  const resources = Object.entries(Resources).map(([id, resource]) => ({
    id,
    type: resource.Type,
    properties: resource.Properties,
    deletionPolicy: resource.DeletionPolicy,
    updatePolicy: resource.UpdatePolicy,
    dependsOn: [resource.DependsOn].flat(),
  }))
  const of = (type: string) => resources.filter(resource => resource.type === type)
  /** The only resource of a type, or the only one with this plain id. */
  const only = (type: string, id?: string) => {
    const [found, ...others] = of(type).filter(resource => id === undefined || plain(resource.id) === id)
    if (!found || others.length > 0) throw new Error(`Expected one ${type} ${id ?? ''}.`)
    return found
  }
  return { text, resources, parameters: Parameters, of, only }
}

export type Template = ReturnType<typeof readTemplate>

/** The logical id in a nested Ref or GetAtt. */
export function idIn(value: unknown): string | undefined {
  return /"(?:Ref|Fn::GetAtt)":\s*\[?"(?!AWS::)(\w+)"/.exec(JSON.stringify(value) ?? '')?.[1]
}

/** A logical id in lower case, without the CDK's hash. */
export function plain(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '').toLowerCase()
}

/** The plain logical id of a function: `deliverwebhooks` for `deliver-webhooks`. */
export function idOf(name: string): string {
  return name.replaceAll('-', '')
}

const Uri = z.object({ 'Fn::Sub': z.string() })
const Operation = z.object({
  security: z._default(z.array(Properties), []),
  'x-amazon-apigateway-integration': z.looseObject({ type: z.string(), uri: z.optional(Uri) }),
})
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  'x-amazon-apigateway-gateway-responses': z.record(
    z.string(),
    z.object({
      statusCode: z.number(),
      responseParameters: z.record(z.string(), z.string()),
      responseTemplates: z.object({ 'application/json': z.string() }),
    }),
  ),
})

/** The document that API Gateway imports. */
export function documentOf(template: Template) {
  return Document.parse(template.only('AWS::ApiGateway::RestApi').properties.Body)
}

/** The responses that API Gateway makes itself, by type. */
export function gatewayResponsesOf(template: Template) {
  return documentOf(template)['x-amazon-apigateway-gateway-responses']
}

function listOf<Item extends z.ZodMiniType>(item: Item) {
  const one = z.pipe(
    item,
    z.transform((item: z.output<Item>) => [item]),
  )
  return z.union([z.array(item), one])
}

const Keys = z.object({
  'ForAllValues:StringLike': z.strictObject({ 'dynamodb:LeadingKeys': listOf(z.string()) }),
  Null: z.strictObject({ 'dynamodb:LeadingKeys': z.literal('false') }),
})
const Statement = z.strictObject({
  Effect: z.literal('Allow'),
  Action: listOf(z.string()),
  Resource: listOf(z.unknown()),
  Condition: z.optional(z.looseObject({})),
})
const Role = z.object({
  Policies: z._default(
    z.array(z.object({ PolicyDocument: z.object({ Statement: z.array(Statement) }) })),
    [],
  ),
})

/** What a role allows. `keys`: the partitions of the table, and undefined for another service. */
export type AllowStatement = {
  role: string
  actions: string[]
  resources: unknown[]
  keys: string[] | undefined
  condition: unknown
}

/** The statements of all roles, by the plain id of the role. None denies. */
export function statementsOf(template: Template): AllowStatement[] {
  return template.of('AWS::IAM::Role').flatMap(({ id, properties }) =>
    Role.parse(properties)
      .Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .map(({ Action, Resource, Condition }) => {
        const isOfTable = Action.some(action => action.startsWith('dynamodb:'))
        const keys = isOfTable
          ? Keys.parse(Condition)['ForAllValues:StringLike']['dynamodb:LeadingKeys']
          : undefined
        return { role: plain(id), actions: Action, resources: Resource, keys, condition: Condition }
      }),
  )
}

/** The statements of a function's own role. */
export function statementsOfFunction(template: Template, name: string): AllowStatement[] {
  return statementsOf(template).filter(({ role }) => role === `${idOf(name)}role`)
}
