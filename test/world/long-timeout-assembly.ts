// Writes the stack with longer time-outs: the tests' functions share the CPU of one machine.
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'

const TIMES_LONGER = 10
/** The gateway's time-out, which includes the wait for a free worker. */
const GATEWAY_MS = 29_000

const Template = z.looseObject({
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), Properties: z.optional(z.looseObject({})) }),
  ),
})

/** Copies the assembly to `folder` with longer time-outs of functions and gateway. Assets are linked. */
export async function writeLongTimeoutAssembly(assembly: string, folder: string): Promise<void> {
  for (const name of await readdir(assembly)) {
    const from = join(assembly, name)
    if (name.endsWith('.template.json')) {
      await writeFile(join(folder, name), withLongTimeouts(await readFile(from, 'utf8')))
    } else if (name.endsWith('.json')) {
      await cp(from, join(folder, name))
    } else {
      await symlink(from, join(folder, name))
    }
  }
}

function withLongTimeouts(text: string): string {
  const template = Template.parse(JSON.parse(text))
  for (const { Type, Properties } of Object.values(template.Resources)) {
    if (!Properties) continue
    if (Type === 'AWS::Lambda::Function' && typeof Properties.Timeout === 'number') {
      Properties.Timeout *= TIMES_LONGER
    }
    if (Type === 'AWS::ApiGateway::RestApi') Properties.Body = withLongIntegrations(Properties.Body)
  }
  return JSON.stringify(template)
}

const Document = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ 'x-amazon-apigateway-integration': z.looseObject({}) })),
  ),
})

function withLongIntegrations(body: unknown) {
  const document = Document.parse(body)
  for (const operation of Object.values(document.paths).flatMap(Object.values)) {
    operation['x-amazon-apigateway-integration'].timeoutInMillis = GATEWAY_MS * TIMES_LONGER
  }
  return document
}
