// Deploys the synthesized stack into an emulator of AWS, and runs commands against it.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { BASE_URL_OUTPUT, stackNameOf } from '../../infra/names.ts'

const PROJECT = new URL('../..', import.meta.url).pathname
const CDK = join(PROJECT, 'node_modules/aws-cdk/bin/cdk')
const STAGE = 'emulated'
const ACCOUNT = '000000000000'
const REGION = 'us-east-1'
const CREDENTIALS = { accessKeyId: ACCOUNT, secretAccessKey: 'test' }
/** So that the conformance suite need not wait. */
const PARAMETERS = ['--parameters', 'LimitScale=10000']

export function deployer({ endpoint, folder }: { endpoint: string; folder: string }) {
  const assembly = join(folder, 'cdk.out')
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: REGION,
    CDK_OUTDIR: assembly,
  }
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, args, {
      cwd: PROJECT,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  const cdk = (...args: string[]) => run(CDK, ...args, '--app', assembly)

  return {
    /** The template is the one of every disposable stage. */
    synthesize: (): string => {
      const context = ['-c', `stage=${STAGE}`, '-c', 'disposable=true']
      return run(CDK, 'synth', '--quiet', ...context, '--output', assembly)
    },
    bootstrap: (): string => cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`),
    /** Includes the smoke test, which fails the deployment if a function does not answer. */
    deploy: (): string => cdk('deploy', '--require-approval', 'never', '--no-rollback', ...PARAMETERS),
    operator: (...args: string[]): string =>
      run('infra/launch.cjs', 'infra/operator/operator.ts', ...args, '--stage', STAGE),
    /** The address at which the emulator serves the API of the stack. */
    baseUrl: async (): Promise<string> => {
      const client = new CloudFormationClient({ endpoint, region: REGION, credentials: CREDENTIALS })
      const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackNameOf(STAGE) }))
      const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === BASE_URL_OUTPUT)
      const { hostname, pathname } = new URL(output?.OutputValue ?? '')
      return `${endpoint}/_aws/execute-api/${hostname.split('.')[0]}${pathname.replace(/\/$/, '')}`
    },
  }
}
