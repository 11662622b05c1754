// Reads the synthesized template for tests: resources by type, and helpers for ids and routes.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { WITHOUT_VALIDATION } from '../../infra/local/build.ts'

const Properties = z.record(z.string(), z.unknown())
const File = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z._default(Properties, {}) })),
  Outputs: Properties,
  Parameters: Properties,
})

export type Resource = { id: string; type: string; properties: Record<string, unknown> }

export type SynthesizedTemplate = {
  /** The content of the file. */
  text: string
  resources: Resource[]
  of(type: string): Resource[]
}

export function readTemplate(assembly: string): SynthesizedTemplate {
  const text = readFileSync(join(assembly, 'ContentService.template.json'), 'utf8')
  const resources = Object.entries(File.parse(JSON.parse(text)).Resources).map(([id, resource]) => ({
    id,
    type: resource.Type,
    properties: resource.Properties,
  }))
  return { text, resources, of: type => resources.filter(resource => resource.type === type) }
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

const Method = z.object({
  HttpMethod: z.string(),
  ResourceId: z.unknown(),
  ApiKeyRequired: z._default(z.boolean(), false),
  AuthorizationType: z.string(),
  AuthorizerId: z.optional(z.unknown()),
  Integration: z.object({ Type: z.string(), Uri: z.optional(z.unknown()) }),
})

/** The methods of the REST API, each with its path and its function. */
export function routesOf(template: SynthesizedTemplate) {
  const resources = new Map(template.of('AWS::ApiGateway::Resource').map(resource => [resource.id, resource]))
  const pathOf = (resourceId: string | undefined): string => {
    const resource = resources.get(resourceId ?? '')
    return resource ? `${pathOf(idIn(resource.properties.ParentId))}/${resource.properties.PathPart}` : ''
  }
  return template.of('AWS::ApiGateway::Method').map(({ properties }) => {
    const method = Method.parse(properties)
    const path = pathOf(idIn(method.ResourceId)) || '/'
    const handler = plain(idIn(method.Integration.Uri) ?? '')
    return { ...method, path, name: `${method.HttpMethod} ${path}`, handler }
  })
}
