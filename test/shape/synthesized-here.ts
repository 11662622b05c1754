// Synthesizes the stack in this process, changed as a test wants, and reads the check of its release from it.
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { inject } from 'vitest'
import * as z from 'zod/mini'
import cdk from '../../cdk.json' with { type: 'json' }
import { readSettings } from '../../infra/settings.ts'
import { ContentService } from '../../infra/stack.ts'

// Several test files of a process share this module, so the folder stays until the run ends.
const folder = mkdtempSync(join(inject('scratch'), 'stack-'))

export const BUNDLES = join(inject('assembly'), 'functions')
/** The bundle of one function with another code. */
export const OTHER_BUNDLE = join(folder, 'bundle')
cpSync(join(BUNDLES, 'sweep'), OTHER_BUNDLE, { recursive: true })
writeFileSync(join(OTHER_BUNDLE, 'more.cjs'), '')

const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Condition: z.optional(z.string()),
      DeletionPolicy: z.optional(z.string()),
      Properties: z._default(z.looseObject({}), {}),
      DependsOn: z._default(z.union([z.array(z.string()), z.string()]), []),
    }),
  ),
})
const Properties = z.looseObject({
  ServiceToken: z.unknown(),
  ServiceTimeout: z.string(),
  BaseUrl: z.unknown(),
  ConnectTo: z.optional(z.unknown()),
  Requests: z.array(z.looseObject({ Function: z.string(), Method: z.string(), Path: z.string() })),
  LimitSeconds: z.number(),
  PausesSeconds: z.array(z.number()),
  Release: z.string(),
  Parameters: z.unknown(),
})

export type Change = {
  context?: Record<string, string>
  version?: string
  bundleFolder?: (name: string) => string
  change?: (stack: ContentService) => void
}

/** The stack in this process, with the bundles of the assembly. */
export function synthesizeHere({ context = {}, version = '1', bundleFolder, change }: Change = {}) {
  const outdir = mkdtempSync(join(folder, 'out-'))
  // The validation of `npm run synth` takes a second a stack.
  const app = new App({ outdir, context: cdk.context, builtinCloudFormationValidation: false })
  const stack = new ContentService(app, 'ContentService', {
    settings: readSettings(name => context[name]),
    version,
    bundleFolder: bundleFolder ?? (name => join(BUNDLES, name)),
  })
  change?.(stack)
  const { Resources } = Template.parse(app.synth().getStackByName(stack.stackName).template)
  const [id = '', test] =
    Object.entries(Resources).find(([, { Type }]) => Type === 'Custom::ReleaseCheck') ?? []
  const properties = Properties.parse(test?.Properties)
  return { outdir, resources: Resources, id, dependsOn: [test?.DependsOn ?? []].flat(), properties }
}
