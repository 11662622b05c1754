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
    addVariablesOf(former, id, template)
    mixed.push(name)
  }
  await writeFile(templateFile, JSON.stringify(template))
  await writeFile(assetsFile, JSON.stringify(assets))
  return mixed
}

type Resources = z.infer<typeof Template>
const Variables = z.looseObject({ Environment: z.looseObject({ Variables: z.looseObject({}) }) })

async function readFormer(file: string): Promise<Resources | undefined> {
  return existsSync(file) ? Template.parse(JSON.parse(await readFile(file, 'utf8'))) : undefined
}

/**
 * A former release also has the variables of its own template, but only the permissions of this one: a
 * deployment updates a role before its function, and a function that runs keeps its role.
 */
function addVariablesOf(former: Resources | undefined, id: string, { Resources }: Resources): void {
  const own = Resources[id]?.Properties
  const [before, after] = [former?.Resources[id]?.Properties, own].map(
    properties => Variables.safeParse(properties).data?.Environment,
  )
  if (!own || !before || !after) return
  own.Environment = { ...after, Variables: { ...before.Variables, ...after.Variables } }
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
