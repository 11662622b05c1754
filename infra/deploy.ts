// `npm run deploy -- STAGE`: checks the account's Lambda quota and what the deployment would drop, then runs
// `cdk deploy` with the values of the stage.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda'
import cdk from '../cdk.json' with { type: 'json' }
import { accountOf } from './deploy-account.ts'
import {
  contextValue,
  type DeployArguments,
  DeployError,
  eachAfter,
  readArguments,
} from './deploy-arguments.ts'
import { readDeployedTemplate } from './deployed-template.ts'
import { dropsOf, Template } from './drops.ts'
import { missingAccess } from './missing-access.ts'
import { adviceFor } from './quota.ts'
import { InvalidContext, readSettings, type StageSettings } from './settings.ts'
import { STAGES } from './stages.ts'

const command = fileURLToPath(new URL('../node_modules/aws-cdk/bin/cdk', import.meta.url))
const defaults: Record<string, unknown> = cdk.context

/** The stack's folder of `cdk synth`, or of the assembly that the command line names. */
const DEFAULT_ASSEMBLY = 'cdk.out'
const TEMPLATE = 'ContentService.template.json'

/** Undefined if it cannot be read. Throws DeployError at once if nothing else could be, either. */
async function readQuota({ others, isAllowed }: DeployArguments): Promise<number | undefined> {
  try {
    const client = new LambdaClient({ ...accountOf(others, process.env), maxAttempts: 2 })
    const { AccountLimit } = await client.send(new GetAccountSettingsCommand())
    return AccountLimit?.ConcurrentExecutions
  } catch (error) {
    const advice = missingAccess(error)
    if (advice !== undefined && !isAllowed && !others.includes('--help')) {
      throw new DeployError(`${advice} Nothing was deployed.`)
    }
    console.error(
      `The account's quota of concurrent executions could not be read, so it is not checked: ${reasonOf(error)}`,
    )
    return undefined
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function settingsOf({ context }: DeployArguments): StageSettings {
  return readSettings(name => contextValue(context, name) ?? defaults[name])
}

/** Returns the quota. Throws DeployError if the workers would leave too little of it for requests. */
async function checkQuota(given: DeployArguments): Promise<number | undefined> {
  const { maxConcurrency } = settingsOf(given)
  const quota = await readQuota(given)
  if (quota === undefined) return undefined
  const { text, mayDeploy } = adviceFor(quota, maxConcurrency)
  if (!mayDeploy) throw new DeployError(text)
  console.error(text)
  return quota
}

/** A disposable stage may have no alarms. */
function checkAlarms(given: DeployArguments): void {
  const { isDisposable, alarmEmail } = settingsOf(given)
  if (isDisposable || alarmEmail !== undefined) return
  console.error(`Alarms of the stage ${given.stage} send no mail: add alarmEmail to it in infra/stages.ts.`)
}

/** Returns the folder of the assembly. */
function synthesize({ context, others }: DeployArguments): string {
  const given = others.findIndex(word => word === '--app' || word === '-a')
  if (given >= 0) return others[given + 1] ?? DEFAULT_ASSEMBLY
  const { status } = spawnSync(process.execPath, [command, 'synth', '--quiet', ...eachAfter('-c', context)], {
    stdio: 'inherit',
  })
  if (status !== 0) throw new DeployError('The template could not be synthesized.')
  return DEFAULT_ASSEMBLY
}

/** Throws DeployError if the deployment would drop something and `--allow` is missing. */
async function checkDrops({ stage, isAllowed, others }: DeployArguments, assembly: string): Promise<void> {
  const deployed = await readDeployedTemplate(stage, accountOf(others, process.env)).catch(error => {
    const text = `The deployed template of ${stage} could not be read, so it is unknown what the deployment would drop: ${reasonOf(error)}`
    if (!isAllowed) throw new DeployError(text)
    console.error(text)
  })
  if (deployed === undefined) return
  const next = Template.parse(JSON.parse(readFileSync(join(assembly, TEMPLATE), 'utf8')))
  const drops = dropsOf(Template.parse(deployed), next)
  for (const drop of drops) console.error(drop)
  if (drops.length > 0 && !isAllowed) {
    throw new DeployError(
      `Nothing was deployed. Put the values of the stage ${stage} into infra/stages.ts, or deploy with --allow.`,
    )
  }
}

function deploy(words: string[]): void {
  const child = spawn(process.execPath, [command, 'deploy', ...words], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', code => process.exit(code ?? 1))
}

try {
  const given = readArguments(process.argv.slice(2), STAGES)
  const { parameters, others } = given
  const quota = await checkQuota(given)
  checkAlarms(given)
  // Before the values of the stage, which have the last word.
  const context = [...(quota === undefined ? [] : [`lambdaQuota=${quota}`]), ...given.context]
  const words = [...eachAfter('--parameters', parameters), ...eachAfter('-c', context), ...others]
  if (others.includes('--help')) {
    deploy(words)
  } else {
    const assembly = synthesize({ ...given, context })
    await checkDrops(given, assembly)
    // What was compared is deployed.
    deploy(others.includes('--app') || others.includes('-a') ? words : [...words, '--app', assembly])
  }
} catch (error) {
  if (!(error instanceof DeployError || error instanceof InvalidContext)) throw error
  console.error(error.message)
  process.exit(1)
}
