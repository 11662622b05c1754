// `npm run deploy -- STAGE`: looks whether the stage fits into its account, runs `cdk deploy`, and protects
// what has succeeded.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { BASE_URL_OUTPUT, TABLE_OUTPUT } from '../names.ts'
import { InvalidContext, readSettings, type StageSettings } from '../stage-settings.ts'
import { STAGES } from '../stages.ts'
import { type DeployArguments, DeployError, readArguments } from './arguments.ts'
import {
  type Account,
  accountOf,
  isFailedCreation,
  missingAccess,
  protectStack,
  protectTable,
  readStack,
} from './deployed-stack.ts'
import { adviceFor, readLimits, refusedIn } from './limits.ts'

const command = fileURLToPath(new URL('../../node_modules/aws-cdk/bin/cdk', import.meta.url))
const conformance = fileURLToPath(new URL('../../test/conformance/conformance.ts', import.meta.url))

/** Throws DeployError with the reason. */
async function read<T>(what: string, reading: Promise<T>): Promise<T> {
  return await reading.catch(error => {
    const reason = error instanceof Error ? error.message : String(error)
    const text = missingAccess(error) ?? `${what} could not be read: ${reason}`
    throw new DeployError(`${text} Nothing was deployed.`)
  })
}

/** Says what fits. Throws DeployError if the workers would leave too little of the quota for requests. */
async function checkAccount(account: Account, settings: StageSettings): Promise<void> {
  const limits = await read('The quotas of the account', readLimits(account))
  const [refused] = refusedIn(limits.region, settings)
  if (refused) throw new DeployError(refused.text)
  for (const { text, mayDeploy } of adviceFor(limits, settings)) {
    if (!mayDeploy) throw new DeployError(text)
    console.error(text)
  }
}

/** `['-c', 'stage=live']`: a word before each value. */
function eachAfter(option: string, values: string[]): string[] {
  return values.flatMap(value => [option, value])
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
  const { stage, context, parameters, words } = given
  const settings = readSettings(name => context[name])
  const account = accountOf(given, process.env)
  await checkAccount(account, settings)
  const client = new CloudFormationClient({ ...account, maxAttempts: 2 })
  const found = await read(`The stack of ${stage}`, readStack(client, stage))
  const isFirst = found === undefined || isFailedCreation(found)
  if (isFirst && !settings.disposable && !settings.isAlarmEmailGiven) {
    throw new DeployError(
      `Who hears the alarms of ${stage}? Add alarmEmail to it in infra/stages.ts: an address, or 'none' for a stage without alarms.`,
    )
  }
  if (found && isFirst) {
    console.error(`The first deployment of ${stage} failed. What is left of it is removed first.`)
    if (found.isProtected) await protectStack(client, stage, false)
  }

  const values = { ...context, protected: !isFirst && !settings.disposable }
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  const own = [...eachAfter('--parameters', parameters), ...eachAfter('-c', pairs)]
  const code = await run(command, ['deploy', ...own, ...words])
  if (code !== 0) return code

  const deployed = await readStack(client, stage)
  if (deployed === undefined) return code
  if (!settings.disposable) {
    await protectStack(client, stage, true)
    const table = deployed.outputs[TABLE_OUTPUT]
    if (table !== undefined) await protectTable(table, account)
  }
  if (!process.env.ADMIN_TOKEN) return code
  return run(conformance, [deployed.outputs[BASE_URL_OUTPUT] ?? '', '--reading'])
}

try {
  const given = readArguments(process.argv.slice(2), STAGES)
  const isHelp = given.words.includes('--help')
  process.exitCode = isHelp ? await run(command, ['deploy', '--help']) : await deploy(given)
} catch (error) {
  if (!(error instanceof DeployError || error instanceof InvalidContext)) throw error
  console.error(error.message)
  process.exitCode = 1
}
