// A stage of the synthesized stack in an emulator of AWS: deployed, updated, destroyed, and used by commands.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  CloudFormationClient,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation'
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BASE_URL_OUTPUT, stackNameOf } from '../../infra/names.ts'

const PROJECT = new URL('../..', import.meta.url).pathname
const CDK = join(PROJECT, 'node_modules/aws-cdk/bin/cdk')
const DEPLOY = join(PROJECT, 'infra/deploy/deploy.ts')
const OPERATOR = ['infra/launch.cjs', 'infra/operator/operator.ts']
const ACCOUNT = '000000000000'
const REGION = 'us-east-1'
const CREDENTIALS = { accessKeyId: ACCOUNT, secretAccessKey: 'test' }
/** So that the conformance suite need not wait. */
const LIMIT_SCALE = 10_000

/** The values of a stage that is kept, but for its domain: an emulator has no certificate. */
export const KEPT = {
  alarmEmail: 'owner@example.com',
  monthlyBudgetUsd: '50',
  backupDays: '365',
  mailSender: 'content@example.com',
  traffic: 'canary',
  shield: 'true',
}

/** For an SDK client that calls the emulator. */
export function settingsOf(endpoint: string) {
  return { endpoint, region: REGION, credentials: CREDENTIALS }
}

export type DeployedStage = ReturnType<typeof openStage>

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

  const deployment = (limitScale: number): string[] => {
    const words = ['--app', assembly, '--require-approval', 'never', '--ci', ...contextOf(values)]
    return [DEPLOY, stage, ...words, '--parameters', `LimitScale=${limitScale}`]
  }
  const operator = (...args: string[]): string[] => [...OPERATOR, ...args, '--stage', stage]

  const client = new CloudFormationClient(settingsOf(endpoint))
  const StackName = stackNameOf(stage)
  /** Throws if there is no stack. */
  const stack = async () => (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0]
  const outputs = async (): Promise<Values> => {
    const all = (await stack())?.Outputs ?? []
    return Object.fromEntries(all.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
  }

  return {
    name: stage,
    stackName: StackName,
    endpoint,
    /** With the values of the stage, and with more. */
    synthesize: (more: Values = {}): Promise<string> =>
      run(CDK, 'synth', '--quiet', ...contextOf({ stage, ...values, ...more }), '--output', assembly),
    template: join(assembly, 'ContentService.template.json'),
    bootstrap: () => cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`),
    /** By `npm run deploy`, with the check of the release, which fails if a function does not answer. */
    deploy: (limitScale = LIMIT_SCALE) => run(...deployment(limitScale)),
    /** Returns what it printed; a deployment that succeeds is an error. */
    failToDeploy: async (): Promise<string> => {
      const { output, code } = await runNode(deployment(LIMIT_SCALE), env)
      if (code === 0) throw new Error('The deployment succeeded, and should have failed.')
      return output
    },
    /** Makes the check of the next deployment fail. */
    plantFault: () => plantFault(assembly),
    /** The state of the stack, and whether it and its table are protected. */
    state: async () => {
      const found = await stack()
      const TableName = (await outputs()).TableName
      const table = new DynamoDBClient(settingsOf(endpoint))
      const { Table } = await table.send(new DescribeTableCommand({ TableName }))
      const isProtected = found?.EnableTerminationProtection === true
      return {
        status: found?.StackStatus,
        isProtected,
        isTableProtected: Table?.DeletionProtectionEnabled === true,
      }
    },
    status: async () => (await stack())?.StackStatus,
    unprotect: async (): Promise<void> => {
      await client.send(
        new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }),
      )
    },
    destroy: () => cdk('destroy', '--force'),
    operator: (...args: string[]) => run(...operator(...args)),
    verifyStage: (...args: string[]) => runNode(operator('verify-stage', ...args), env),
    outputs,
    /** The address at which the emulator serves the API of the stack. */
    baseUrl: async (): Promise<string> => {
      const { hostname, pathname } = new URL((await outputs())[BASE_URL_OUTPUT] ?? '')
      return `${endpoint}/_aws/execute-api/${hostname.split('.')[0]}${pathname.replace(/\/$/, '')}`
    },
  }
}

function contextOf(values: Values): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The check asks where nothing listens. Under another name, since CDK uploads a template once. */
function plantFault(assembly: string): void {
  const edit = (name: string, change: (text: string) => string): void => {
    const file = join(assembly, `ContentService.${name}.json`)
    writeFileSync(file, change(readFileSync(file, 'utf8')))
  }
  const isOfTemplate = /"([0-9a-f]{64})": \{\s*"displayName": "[^"]*Template"/
  const [, hash = ''] =
    isOfTemplate.exec(readFileSync(join(assembly, 'ContentService.assets.json'), 'utf8')) ?? []
  if (hash === '') throw new Error('The assembly names no template.')
  const rename = (text: string): string => text.replaceAll(hash, `${hash.slice(0, -4)}dead`)
  edit('assets', rename)
  const manifest = join(assembly, 'manifest.json')
  writeFileSync(manifest, rename(readFileSync(manifest, 'utf8')))
  edit('template', text => {
    const template = JSON.parse(text)
    template.Resources.ReleaseCheck.Properties.Requests = [
      { Function: 'public', Method: 'GET', Path: '/planted' },
    ]
    template.Resources.ReleaseCheck.Properties.PausesSeconds = ['0.1']
    return JSON.stringify(template)
  })
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
