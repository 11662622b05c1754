// A stage's stack in the account: where the account is, the stack's state, and its protection.
import {
  type CloudFormationClient,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation'
import { DescribeTableCommand, DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import type { LambdaClientConfig } from '@aws-sdk/client-lambda'
import { stackNameOf } from '../names.ts'
import type { DeployArguments } from './arguments.ts'

export type Account = Pick<LambdaClientConfig, 'region' | 'credentials' | 'profile'>

/**
 * The account and the region that `cdk deploy` will use: those of its command line, else of the environment.
 * The SDK finds what is undefined here as the CDK does: in the profile's files, or by the machine's role.
 */
export function accountOf(
  given: Pick<DeployArguments, 'profile' | 'region'>,
  env: Record<string, string | undefined>,
): Account {
  const region = given.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  const here = region ? { region } : {}
  // The CDK prefers keys in the environment to a profile in the environment; the SDK does the opposite.
  if (given.profile === undefined && accessKeyId && secretAccessKey) {
    const { AWS_SESSION_TOKEN: sessionToken } = env
    return { ...here, credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } }
  }
  const profile = given.profile ?? env.AWS_PROFILE ?? env.AWS_DEFAULT_PROFILE
  return { ...here, ...(profile && { profile }) }
}

/** What to do about a call of AWS that failed for want of access. Undefined for another cause. */
export function missingAccess(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const text = `${error.name} ${error.message}`
  // The SDK says what to do: `aws sso login`.
  if (/to refresh this sso session/i.test(text)) return error.message
  if (/region is missing/i.test(text)) {
    return 'No AWS region is set. Set AWS_REGION to the region of the stage, or AWS_PROFILE to a profile that has one.'
  }
  if (/CredentialsProviderError|could not load credentials/i.test(text)) {
    return 'No AWS credentials are set. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN, if they are temporary), or AWS_PROFILE to a profile that has some.'
  }
  return undefined
}

export type DeployedStack = {
  status: string
  isProtected: boolean
  outputs: Record<string, string>
  parameters: Record<string, string>
}

/** Undefined if there is no such stack. */
export async function readStack(
  client: CloudFormationClient,
  stage: string,
): Promise<DeployedStack | undefined> {
  try {
    const command = new DescribeStacksCommand({ StackName: stackNameOf(stage) })
    const { StackStatus, EnableTerminationProtection, Outputs, Parameters } =
      (await client.send(command)).Stacks?.[0] ?? {}
    const outputs = Outputs?.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue])
    const parameters = Parameters?.map(({ ParameterKey = '', ParameterValue = '' }) => [
      ParameterKey,
      ParameterValue,
    ])
    return {
      status: StackStatus ?? '',
      isProtected: EnableTerminationProtection ?? false,
      outputs: Object.fromEntries(outputs ?? []),
      parameters: Object.fromEntries(parameters ?? []),
    }
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined
    throw error
  }
}

/** The first deployment failed. CDK removes what is left of it before it begins again. */
export function isFailedCreation({ status }: DeployedStack): boolean {
  return ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED'].includes(status)
}

export async function protectStack(client: CloudFormationClient, stage: string, isProtected: boolean) {
  const StackName = stackNameOf(stage)
  const command = { StackName, EnableTerminationProtection: isProtected }
  await client.send(new UpdateTerminationProtectionCommand(command))
}

/** CloudFormation cannot do it: with the property in the template, it could not undo a first deployment. */
export async function protectTable(TableName: string, account: Account): Promise<void> {
  const client = new DynamoDBClient({ ...account, maxAttempts: 2 })
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  if (Table?.DeletionProtectionEnabled) return
  await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }))
}
