// Writes an assembly whose functions are of two releases: each takes every second event of a worker.
import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { writeLongTimeoutAssembly } from '../world/long-timeout-assembly.ts'

const Template = z.looseObject({
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), Properties: z.optional(z.looseObject({})) }),
  ),
})
const FunctionProperties = z.looseObject({
  Code: z.looseObject({ S3Key: z.string() }),
  FunctionName: z.unknown(),
})
const Assets = z.looseObject({ files: z.looseObject({}) })
/** `Fn::Join` of the stack's name and the function's. */
const FunctionName = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) })

/** @param other the folder with the bundles of the other release. */
export async function writeTwoReleases(assembly: string, other: string, folder: string): Promise<string[]> {
  await writeLongTimeoutAssembly(assembly, folder)
  const [templateFile, assetsFile] = [
    join(folder, 'ContentService.template.json'),
    join(folder, 'ContentService.assets.json'),
  ]
  const template = Template.parse(JSON.parse(await readFile(templateFile, 'utf8')))
  const assets = Assets.parse(JSON.parse(await readFile(assetsFile, 'utf8')))
  const former = await readFormer(join(other, '..', 'ContentService.template.json'))
  const mixed: string[] = []
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    if (Type !== 'AWS::Lambda::Function' || !Properties) continue
    const { Code, FunctionName: fullName } = FunctionProperties.parse(Properties)
    const [, parts] = FunctionName.parse(fullName)['Fn::Join']
    const name = String(parts.at(-1)).replace(/^-/, '')
    if (!existsSync(join(other, name))) continue
    await writeFunction(join(folder, `mixed-${name}`), join(assembly, 'functions', name), join(other, name))
    assets.files[`mixed-${name}`] = {
      source: { path: `mixed-${name}` },
      destinations: { here: { objectKey: `mixed-${name}.zip` } },
    }
    Properties.Code = { ...Code, S3Key: `mixed-${name}.zip` }
    addNeedsOf(former, id, template)
    mixed.push(name)
  }
  await writeFile(templateFile, JSON.stringify(template))
  await writeFile(assetsFile, JSON.stringify(assets))
  return mixed
}

type Resources = z.infer<typeof Template>
const Needs = z.looseObject({
  Environment: z.looseObject({ Variables: z.looseObject({}) }),
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
})
/** A custom resource of the CDK has none. */
const Policies = z._default(
  z.array(z.looseObject({ PolicyDocument: z.looseObject({ Statement: z.array(z.unknown()) }) })),
  [],
)

async function readFormer(file: string): Promise<Resources | undefined> {
  return existsSync(file) ? Template.parse(JSON.parse(await readFile(file, 'utf8'))) : undefined
}

/** A former release also has the variables and the permissions of its own template. */
function addNeedsOf(former: Resources | undefined, id: string, template: Resources): void {
  const [was, own] = [former?.Resources[id]?.Properties, template.Resources[id]?.Properties]
  const [before, after] = [Needs.safeParse(was).data, Needs.safeParse(own).data]
  if (!former || !own || !before || !after) return
  const Variables = { ...before.Environment.Variables, ...after.Environment.Variables }
  own.Environment = { ...after.Environment, Variables }
  const [granted, role] = [before, after].map(
    ({ Role }, n) => (n === 0 ? former : template).Resources[Role['Fn::GetAtt'][0]],
  )
  if (!granted?.Properties || !role?.Properties) return
  const more = Policies.parse(granted.Properties.Policies)
  role.Properties.Policies = [...Policies.parse(role.Properties.Policies), ...more]
}

async function writeFunction(folder: string, own: string, other: string): Promise<void> {
  await mkdir(folder)
  await symlink(own, join(folder, 'own'))
  await symlink(other, join(folder, 'other'))
  const [first, second] = [
    ['own', own],
    ['other', other],
  ].map(([name = '', source = '']) => `./${name}/${entryOf(source)}`)
  await writeFile(
    join(folder, 'index.mjs'),
    `const handlers = []
for (const file of ${JSON.stringify([first, second])}) {
  const { default: bundle, ...named } = await import(file)
  handlers.push(named.handler ?? bundle.handler)
}
let events = Math.round(Math.random())
export function handler(event, context) {
  return handlers[events++ % 2](event, context)
}
`,
  )
}

function entryOf(folder: string): string {
  const entry = ['index.js', 'index.mjs', 'index.cjs'].find(file => existsSync(join(folder, file)))
  if (!entry) throw new Error(`${folder} has no index.js, index.mjs or index.cjs.`)
  return entry
}
