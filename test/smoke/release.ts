// Runs a release of the whole stack, which a test may spoil, with the function of the smoke test in it.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import * as z from 'zod/mini'
import { writeLongTimeoutAssembly } from '../world/long-timeout-assembly.ts'
import { openWorld } from '../world/world.ts'
import type { CloudFormation } from './cloudformation.ts'

const LambdaProperties = z.looseObject({
  Code: z.looseObject({ S3Key: z.string() }),
  Environment: z._default(z.looseObject({ Variables: z.looseObject({}) }), { Variables: {} }),
})
const Template = z.looseObject({
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), Properties: z._default(z.looseObject({}), {}) }),
  ),
})
const Assets = z.looseObject({ files: z.looseObject({}) })

const Passed = z.looseObject({
  Requests: z.array(z.looseObject({ Function: z.string() })),
  Writing: z.optional(z.unknown()),
})

/** What a release does to a function: another environment, or another code. */
export type Spoilt = { environment?: Record<string, string>; code?: string }

/** `spoilt`: by the start of the function's logical id. */
export async function openRelease(
  cloudFormation: CloudFormation,
  spoilt: Record<string, Spoilt> = {},
  assembly = inject('assembly'),
) {
  const folder = await mkdtemp(join(tmpdir(), 'release-'))
  await writeLongTimeoutAssembly(assembly, folder)
  const changes = {
    ...spoilt,
    smoketest: { environment: { AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url } },
  }
  const template = await change(folder, changes)
  const lines: string[] = []
  const world = await openWorld({ assembly: folder, log: line => lines.push(line) })
  const properties = template.Resources.SmokeTest?.Properties ?? {}

  return {
    lines,
    world,
    baseUrl: world.baseUrl,
    /** The properties of the resource, as CloudFormation passes them to the function. */
    properties: { ...Passed.parse(asTexts(properties)), BaseUrl: world.baseUrl },
    /** Invokes the function with an event of CloudFormation. */
    run: (event: unknown) => world.invoke('smoketest', event),
    async stop() {
      await world.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function change(folder: string, changes: Record<string, Spoilt>) {
  const [templateFile, assetsFile] = ['template', 'assets'].map(kind =>
    join(folder, `ContentService.${kind}.json`),
  )
  if (!templateFile || !assetsFile) throw new Error('no files')
  const template = Template.parse(JSON.parse(await readFile(templateFile, 'utf8')))
  const assets = Assets.parse(JSON.parse(await readFile(assetsFile, 'utf8')))
  for (const [name, { environment, code }] of Object.entries(changes)) {
    const [, resource] =
      Object.entries(template.Resources).find(
        ([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith(name),
      ) ?? []
    if (!resource) throw new Error(`The template has no function ${name}.`)
    const { Code, Environment, ...rest } = LambdaProperties.parse(resource.Properties)
    const variables = { ...Environment.Variables, ...environment }
    resource.Properties = { ...rest, Code, Environment: { Variables: variables } }
    if (code === undefined) continue
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'index.cjs'), code)
    assets.files[name] = { source: { path: name }, destinations: { here: { objectKey: `${name}.zip` } } }
    Code.S3Key = `${name}.zip`
  }
  await writeFile(templateFile, JSON.stringify(template))
  await writeFile(assetsFile, JSON.stringify(assets))
  return template
}

/** CloudFormation passes every value as a text. The name of a resource is its logical id here. */
function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts)
  if (typeof value !== 'object' || value === null) return String(value)
  if ('Ref' in value) return value.Ref
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asTexts(inner)]))
}
