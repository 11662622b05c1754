// `npm run deploy -- STAGE`: looks whether the stage fits into its account and what would be dropped, runs
// `cdk deploy`, and protects what has succeeded.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import cdk from '../../cdk.json' with { type: 'json' }
import { BASE_URL_OUTPUT, TABLE_OUTPUT } from '../names.ts'
import { InvalidContext, readSettings, type StageSettings } from '../stage-settings.ts'
import { STAGES } from '../stages.ts'
import { accountOf, missingAccess } from './account.ts'
import { contextValue, type DeployArguments, DeployError, eachAfter, readArguments } from './arguments.ts'
import { isFailedCreation, obstacleOf, openStack, protectTable } from './deployed-stack.ts'
import { dropsOf, Template } from './drops.ts'
import { adviceFor, readLimits, refusedIn } from './limits.ts'

const command = fileURLToPath(new URL('../../node_modules/aws-cdk/bin/cdk', import.meta.url))
const conformance = fileURLToPath(new URL('../../test/conformance/conformance.ts', import.meta.url))
const defaults: Record<string, unknown> = cdk.context

/** The stack's folder of `cdk synth`, or of the assembly that the command line names. */
const DEFAULT_ASSEMBLY = 'cdk.out'
const TEMPLATE = 'ContentService.template.json'

/** What cannot be read is not checked, with --allow alone. */
async function read<T>(what: string, isAllowed: boolean, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const text = missingAccess(error) ?? `${what} could not be read: ${reason}`
    if (!isAllowed) throw new DeployError(`${text} Nothing was deployed.`)
    console.error(text)
    return undefined
  }
}

/** Says what fits. Throws DeployError if the workers would leave too little of the quota for requests. */
async function checkAccount({ others, isAllowed }: DeployArguments, settings: StageSettings): Promise<void> {
  const limits = await read('The quotas of the account', isAllowed, () =>
    readLimits(accountOf(others, process.env)),
  )
  if (limits === undefined) return
  const [refused] = refusedIn(limits.region, settings)
  if (refused) throw new DeployError(refused.text)
  for (const { text, mayDeploy } of adviceFor(limits, settings)) {
    if (!mayDeploy) throw new DeployError(text)
    console.error(text)
  }
}

/** Returns the folder of the assembly. */
function synthesize({ others }: DeployArguments, context: string[]): string {
  const given = others.findIndex(word => word === '--app' || word === '-a')
  if (given >= 0) return others[given + 1] ?? DEFAULT_ASSEMBLY
  const { status } = spawnSync(process.execPath, [command, 'synth', '--quiet', ...eachAfter('-c', context)], {
    stdio: 'inherit',
  })
  if (status !== 0) throw new DeployError('The template could not be synthesized.')
  return DEFAULT_ASSEMBLY
}

/** Throws DeployError if the deployment would drop something and `--allow` is missing. */
function checkDrops({ stage, isAllowed }: DeployArguments, deployed: unknown, assembly: string): void {
  const next = Template.parse(JSON.parse(readFileSync(join(assembly, TEMPLATE), 'utf8')))
  const drops = dropsOf(Template.parse(deployed), next)
  for (const drop of drops) console.error(drop)
  if (drops.length > 0 && !isAllowed) {
    throw new DeployError(
      `Nothing was deployed. Put the values of the stage ${stage} into infra/stages.ts, or deploy with --allow.`,
    )
  }
}

/** Returns the exit code. */
function run(program: string, words: string[]): Promise<number> {
  const child = spawn(process.execPath, [program, ...words], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('exit', code => resolve(code ?? 1))
  })
}

async function deploy(given: DeployArguments): Promise<number> {
  const { stage, isAllowed, context, parameters, others } = given
  const settings = readSettings(name => contextValue(context, name) ?? defaults[name])
  const account = accountOf(others, process.env)
  await checkAccount(given, settings)
  const stack = openStack(stage, account)
  const found = await read(`The stack of ${stage}`, isAllowed, stack.read)
  const obstacle = found && obstacleOf(stage, found)
  if (obstacle !== undefined) throw new DeployError(obstacle)
  const isFirst = found === undefined || isFailedCreation(found)
  if (isFirst && !settings.disposable && !settings.isAlarmEmailGiven) {
    throw new DeployError(
      `Who hears the alarms of ${stage}? Add alarmEmail to it in infra/stages.ts: an address, or 'none' for a stage without alarms.`,
    )
  }
  if (found && isFailedCreation(found)) {
    console.error(`The first deployment of ${stage} failed. What is left of it is removed first.`)
    if (found.isProtected) await stack.protectStack(false)
  }

  const isProtected = !isFirst && !settings.disposable
  const values = [...context, `protected=${isProtected}`]
  const assembly = synthesize(given, values)
  if (!isFirst) {
    const template = await read(`The deployed template of ${stage}`, isAllowed, stack.readTemplate)
    if (template !== undefined) checkDrops(given, template, assembly)
  }
  const app = others.includes('--app') || others.includes('-a') ? [] : ['--app', assembly]
  const words = [...eachAfter('--parameters', parameters), ...eachAfter('-c', values), ...others, ...app]
  const code = await run(command, ['deploy', ...words])
  if (code !== 0) return code

  const deployed = await stack.read()
  if (deployed === undefined) return code
  if (!settings.disposable) {
    await stack.protectStack(true)
    const table = deployed.outputs[TABLE_OUTPUT]
    if (table !== undefined) await protectTable(table, account)
  }
  if (!process.env.ADMIN_TOKEN) return code
  return run(conformance, [deployed.outputs[BASE_URL_OUTPUT] ?? '', '--reading'])
}

try {
  const given = readArguments(process.argv.slice(2), STAGES)
  const isHelp = given.others.includes('--help')
  process.exitCode = isHelp ? await run(command, ['deploy', '--help']) : await deploy(given)
} catch (error) {
  if (!(error instanceof DeployError || error instanceof InvalidContext)) throw error
  console.error(error.message)
  process.exitCode = 1
}
