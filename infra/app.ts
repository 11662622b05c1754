// The CDK app, also run as `node infra/app.ts`: bundles the functions, synthesizes and checks the template.
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import cdk from '../cdk.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import { API_FUNCTIONS } from '../shared/service/api-functions.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../shared/service/workers.ts'
import { bundleFunctions } from './bundle.ts'
import { ContentService } from './stack.ts'
import { readSettings } from './stage-settings.ts'
import { STAGES } from './stages.ts'

/** What cdk-nag may find, by its rule, with the reason. */
const EXPLAINED: Record<string, string> = {
  APIG2: 'Functions validate requests, so that every error comes in the same envelope.',
  APIG3:
    'A firewall is a value of the stage; by default low rates of the tiers and counted limits bound a flood.',
  APIG6: 'Execution logs contain client addresses and never expire; the access log has all errors.',
  SMG4: 'The operator rotates a key, since what is stored under it is sealed again.',
  'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
    'API Gateway accepts only this managed policy for writing its logs.',
  'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
    'CodeDeploy names it for Lambda: it moves aliases and reads alarms; only CodeDeploy may assume the role.',
  'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]':
    'AWS maintains what its backup service needs; the plan selects only the table.',
  'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForRestores]':
    'AWS maintains what its backup service needs; the plan selects only the table.',
  'IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*]':
    "Only one address may send, by its own or its domain's identity. The sandbox checks recipients.",
}

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
for (const [rule, reason] of Object.entries(EXPLAINED)) {
  if (rule === 'APIG3' && settings.shield) continue
  Validations.of(app).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason })
}

const names = [API_FUNCTIONS, QUEUE_WORKERS, SCHEDULED_WORKERS].flatMap(Object.keys)
await bundleFunctions([...names, 'authorize-tier', 'check-release'], bundles)

new ContentService(app, 'ContentService', {
  settings,
  version: manifest.version,
  bundleFolder: name => join(bundles, name),
})
app.synth()
