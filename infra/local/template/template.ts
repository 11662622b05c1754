// Reads the synthesized CloudFormation template, from which the local run takes all its configuration.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import '../../../shared/http/zod-messages.ts'

export { type ResolverValues, resolver } from './resolver.ts'

export type Resource = { id: string; type: string; properties: Record<string, unknown> }

export type Template = {
  stackName: string
  /** All resources of one type, in the order of the template. */
  resourcesOf(type: string): Resource[]
  findResource(id: string): Resource | undefined
  /** The logical ids of resources of this type to which an unresolved value refers by Ref, GetAtt or Sub. */
  referencesIn(value: unknown, type: string): string[]
  /** The default values of parameters. */
  parameters: Record<string, string>
  /** The allowed values of parameters. */
  constraints: Record<string, { pattern: string | undefined; description: string }>
  conditions: Record<string, unknown>
  outputs: Record<string, unknown>
  /** The folder with the code for a `Code.S3Key`. Throws if the assembly has no such asset. */
  assetFolder(s3Key: string): string
}

const templateFile = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z._default(z.record(z.string(), z.unknown()), {}) }),
  ),
  Parameters: z._default(
    z.record(
      z.string(),
      z.object({
        Default: z.optional(z.union([z.string(), z.number()])),
        AllowedPattern: z.optional(z.string()),
        ConstraintDescription: z._default(z.string(), 'is not allowed'),
      }),
    ),
    {},
  ),
  Conditions: z._default(z.record(z.string(), z.unknown()), {}),
  Outputs: z._default(z.record(z.string(), z.object({ Value: z.unknown() })), {}),
})

const assetsFile = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.object({ path: z.string() }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
})

/** Reads the only stack of a cloud assembly, the folder that `cdk synth` writes. */
export function loadTemplate(cloudAssemblyDir: string): Template {
  const stackName = onlyStackOf(cloudAssemblyDir)
  const template = templateFile.parse(readJson(join(cloudAssemblyDir, `${stackName}.template.json`)))
  const assets = assetsFile.parse(readJson(join(cloudAssemblyDir, `${stackName}.assets.json`)))

  const resources = new Map<string, Resource>()
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    resources.set(id, { id, type: Type, properties: Properties })
  }
  const folders = new Map<string, string>()
  for (const { source, destinations } of Object.values(assets.files)) {
    for (const { objectKey } of Object.values(destinations)) {
      folders.set(objectKey, join(cloudAssemblyDir, source.path))
    }
  }

  return {
    stackName,
    resourcesOf: type => [...resources.values()].filter(resource => resource.type === type),
    findResource: id => resources.get(id),
    referencesIn: (value, type) => referencesIn(value).filter(id => resources.get(id)?.type === type),
    parameters: Object.fromEntries(
      Object.entries(template.Parameters).flatMap(([name, { Default }]) =>
        Default === undefined ? [] : [[name, String(Default)]],
      ),
    ),
    constraints: Object.fromEntries(
      Object.entries(template.Parameters).map(([name, { AllowedPattern, ConstraintDescription }]) => [
        name,
        { pattern: AllowedPattern, description: ConstraintDescription },
      ]),
    ),
    conditions: template.Conditions,
    outputs: Object.fromEntries(Object.entries(template.Outputs).map(([name, { Value }]) => [name, Value])),
    assetFolder: s3Key => {
      const folder = folders.get(s3Key)
      if (folder === undefined) {
        throw new Error(`${stackName}.assets.json has no asset ${s3Key}. Synthesize the stack again.`)
      }
      return folder
    },
  }
}

const TEMPLATE_ENDING = '.template.json'

function onlyStackOf(folder: string): string {
  const names = readdirSync(folder).filter(name => name.endsWith(TEMPLATE_ENDING))
  const [first] = names
  if (first === undefined || names.length > 1) {
    throw new Error(
      `${folder} holds ${names.length} templates, but the local run needs exactly one. Empty the folder and synthesize again.`,
    )
  }
  return first.slice(0, -TEMPLATE_ENDING.length)
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Parses a resource's properties. The error contains the resource's id. */
export function parseProperties<T>(resource: Resource, schema: z.ZodMiniType<T>, properties: unknown): T {
  const parsed = schema.safeParse(properties)
  if (parsed.success) return parsed.data
  throw new Error(
    `The local run does not support ${resource.id} (${resource.type}):\n${z.prettifyError(parsed.error)}`,
  )
}

/** Every name to which an unresolved value refers, of a resource or not. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'Ref' && typeof inner === 'string') return [inner]
    if (key === 'Fn::GetAtt') return [String(Array.isArray(inner) ? inner[0] : inner).split('.')[0] ?? '']
    if (key === 'Fn::Sub') return [...namesInSub(inner), ...referencesIn(inner)]
    return referencesIn(inner)
  })
}

function namesInSub(value: unknown): string[] {
  const text = String(Array.isArray(value) ? value[0] : value)
  return [...text.matchAll(/\$\{([^!}.]+)[^}]*\}/g)].map(match => match[1] ?? '')
}
