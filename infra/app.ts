// The CDK app, also run as `node infra/app.ts`: bundles the functions, synthesizes and checks the template.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import cdk from '../cdk.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import { API_FUNCTIONS } from '../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../shared/service/workers.ts'
import { bundleFunctions } from './bundle.ts'
import { readSettings } from './settings.ts'
import { ContentService } from './stack.ts'
import { STAGES } from './stages.ts'

const project = fileURLToPath(new URL('..', import.meta.url))
const outdir = resolve(project, process.env.CDK_OUTDIR ?? 'cdk.out')
const bundles = join(outdir, 'functions')

// The CDK's command line passes the flags of cdk.json; without it, the app sets the same flags.
const app = new App({ outdir, context: cdk.context })
Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
// Without a stage, as on one machine, the values of no stage apply.
const stage: unknown = app.node.tryGetContext('stage')
const values: Record<string, unknown> = (typeof stage === 'string' && STAGES[stage]) || {}
const settings = readSettings(name => app.node.tryGetContext(name) ?? values[name])

const names = [API_FUNCTIONS, QUEUE_WORKERS, SCHEDULED_WORKERS].flatMap(Object.keys)
await bundleFunctions({
  project,
  names: [...names, 'authorize-tier', 'check-release'],
  folder: bundles,
  warmed: Object.keys(API_FUNCTIONS),
})

const stack = new ContentService(app, 'ContentService', {
  settings,
  version: manifest.version,
  bundleFolder: name => join(bundles, name),
})
const assembly = app.synth()

const text = readFileSync(join(outdir, stack.templateFile), 'utf8')
const resources = Object.keys(JSON.parse(text).Resources).length
console.log(
  `${stack.stackName}: ${resources} resources, ${Math.round(text.length / 1000)} kB, in ${assembly.directory}`,
)
