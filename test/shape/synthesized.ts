// Reads the synthesized template for tests: resources by type, and helpers for ids and routes.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { WITHOUT_VALIDATION } from '../support/assembly.ts'

const Properties = z.record(z.string(), z.unknown())
const File = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z._default(Properties, {}) })),
  Parameters: z.record(z.string(), z.object({ AllowedPattern: z._default(z.string(), '.*') })),
})

export type Resource = { id: string; type: string; properties: Record<string, unknown> }

export type SynthesizedTemplate = {
  /** The content of the file. */
  text: string
  resources: Resource[]
  of(type: string): Resource[]
  /** What the values of each parameter must match. */
  patterns: Record<string, string>
}

export function readTemplate(assembly: string): SynthesizedTemplate {
  const text = readFileSync(join(assembly, 'ContentService.template.json'), 'utf8')
  const { Resources, Parameters } = File.parse(JSON.parse(text))
  const resources = Object.entries(Resources).map(([id, resource]) => ({
    id,
    type: resource.Type,
    properties: resource.Properties,
  }))
  const patterns = Object.fromEntries(
    Object.entries(Parameters).map(([name, { AllowedPattern }]) => [name, AllowedPattern]),
  )
  return { text, resources, of: type => resources.filter(resource => resource.type === type), patterns }
}

/** Runs `node infra/app.ts` with other context values. Takes a few seconds. */
export async function synthesize(
  folder: string,
  context: Record<string, string>,
): Promise<SynthesizedTemplate> {
  const given = { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(context) }
  const env = { ...process.env, ...WITHOUT_VALIDATION, ...given }
  await promisify(execFile)(process.execPath, ['infra/app.ts'], { env })
  return readTemplate(folder)
}

/** The logical id in a nested Ref or GetAtt. */
export function idIn(value: unknown): string | undefined {
  return /"(?:Ref|Fn::GetAtt)":\s*\[?"(?!AWS::)(\w+)"/.exec(JSON.stringify(value) ?? '')?.[1]
}

/** A logical id in lower case, without the CDK's hash. */
export function plain(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '').toLowerCase()
}

/** The plain logical id of a function: `adminposts` for `admin-posts`. */
export function idOf(name: string): string {
  return name.replaceAll('-', '')
}

const Uri = z.object({ 'Fn::Sub': z.string() })
const Operation = z.object({
  security: z._default(z.array(z.record(z.string(), z.unknown())), []),
  'x-amazon-apigateway-integration': z.object({ type: z.string(), uri: z.optional(Uri) }),
})
const Document = z.object({
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

function documentOf(template: SynthesizedTemplate) {
  const [api] = template.of('AWS::ApiGateway::RestApi')
  return Document.parse(api?.properties.Body)
}

/** The routes of the REST API, each with its function and the schemes that it requires. */
export function routesOf(template: SynthesizedTemplate) {
  return Object.entries(documentOf(template).paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([key, operation]) => {
      const method = key === 'x-amazon-apigateway-any-method' ? 'ANY' : key.toUpperCase()
      const { type, uri } = operation['x-amazon-apigateway-integration']
      const [, handler, alias] =
        /:function:\$\{AWS::StackName\}-([\w-]+)(?::(\w+))?\//.exec(uri?.['Fn::Sub'] ?? '') ?? []
      const schemes = operation.security.flatMap(Object.keys)
      return { method, path, name: `${method} ${path}`, type, handler, alias, schemes }
    }),
  )
}

/** The responses that API Gateway makes itself, by type. */
export function gatewayResponsesOf(template: SynthesizedTemplate) {
  return documentOf(template)['x-amazon-apigateway-gateway-responses']
}

const Role = z.object({
  Policies: z._default(
    z.array(z.object({ PolicyDocument: z.looseObject({ Statement: z.array(z.unknown()) }) })),
    [],
  ),
})

/** The policies of each role, by the plain id of the role. */
export function policiesOf(template: SynthesizedTemplate) {
  return template.of('AWS::IAM::Role').flatMap(({ id, properties }) =>
    Role.parse(properties).Policies.map(({ PolicyDocument }) => ({
      role: plain(id),
      statements: PolicyDocument.Statement,
      size: JSON.stringify(PolicyDocument).length,
    })),
  )
}
