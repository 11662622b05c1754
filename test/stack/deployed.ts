// A stage of the synthesized stack in an emulator of AWS: deployed, updated, destroyed, and used by commands.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { BASE_URL_OUTPUT, stackNameOf } from '../../infra/names.ts'

const PROJECT = new URL('../..', import.meta.url).pathname
const CDK = join(PROJECT, 'node_modules/aws-cdk/bin/cdk')
const ACCOUNT = '000000000000'
const REGION = 'us-east-1'
const CREDENTIALS = { accessKeyId: ACCOUNT, secretAccessKey: 'test' }
/** So that the conformance suite need not wait. */
const LIMIT_SCALE = 10_000

/** The values of a stage that is kept, but for its domain: an emulator has no certificate. */
export const KEPT = {
  alarmEmail: 'owner@example.com',
  monthlyBudgetUsd: '50',
  tracing: 'true',
  backupDays: '365',
}

/** For an SDK client that calls the emulator. */
export function settingsOf(endpoint: string) {
  return { endpoint, region: REGION, credentials: CREDENTIALS }
}

export type Deployed = ReturnType<typeof openStage>

type Values = Record<string, string>
type Stage = { endpoint: string; folder: string; stage: string; values: Values }

/** @param folder of the emulator; the template of the stage is written below it. */
export function openStage({ endpoint, folder, stage, values }: Stage) {
  const assembly = join(folder, stage)
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: REGION,
    CDK_OUTDIR: assembly,
  }
  const run = async (...args: string[]): Promise<string> => {
    const { output, code } = await runNode(args, env)
    if (code === 0) return output
    console.log(output)
    throw new Error(`${args.slice(0, 4).join(' ')} … ended with ${code}.`)
  }
  const cdk = (...args: string[]) => run(CDK, ...args, '--ci', '--app', assembly)

  /** The outputs of the stack. Throws if there is no stack. */
  const outputs = async (): Promise<Values> => {
    const client = new CloudFormationClient(settingsOf(endpoint))
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackNameOf(stage) }))
    const all = Stacks?.[0]?.Outputs ?? []
    return Object.fromEntries(all.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
  }

  return {
    name: stage,
    stackName: stackNameOf(stage),
    endpoint,
    /** With the values of the stage, and with more. */
    synthesize: (more: Values = {}): Promise<string> => {
      const context = Object.entries({ stage, ...values, ...more })
      const words = context.flatMap(([name, value]) => ['-c', `${name}=${value}`])
      return run(CDK, 'synth', '--quiet', ...words, '--output', assembly)
    },
    bootstrap: () => cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`),
    /** Includes the check of the release, which fails the deployment if a function does not answer. */
    deploy: (limitScale = LIMIT_SCALE) => {
      const parameters = ['--parameters', `LimitScale=${limitScale}`]
      return cdk('deploy', '--require-approval', 'never', '--no-rollback', ...parameters)
    },
    destroy: () => cdk('destroy', '--force'),
    operator: (...args: string[]) =>
      run('infra/launch.cjs', 'infra/operator/operator.ts', ...args, '--stage', stage),
    verifyStage: (...args: string[]) =>
      runNode(['infra/launch.cjs', 'infra/verify-stage/verify-stage.ts', stage, ...args], env),
    outputs,
    /** The address at which the emulator serves the API of the stack. */
    baseUrl: async (): Promise<string> => {
      const { hostname, pathname } = new URL((await outputs())[BASE_URL_OUTPUT] ?? '')
      return `${endpoint}/_aws/execute-api/${hostname.split('.')[0]}${pathname.replace(/\/$/, '')}`
    },
  }
}

/** Other work goes on meanwhile. */
async function runNode(
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ output: string; code: number | null }> {
  const child = spawn(process.execPath, args, { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  )
  const [output, code] = await Promise.all([text(child.stdout), ended])
  return { output, code }
}
