// A stage's stack in the account: its state, its template, and its protection.
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation'
import { DescribeTableCommand, DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import type { LambdaClientConfig } from '@aws-sdk/client-lambda'
import { stackNameOf } from '../names.ts'

export type Account = Pick<LambdaClientConfig, 'region' | 'credentials' | 'profile'>
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

export function openStack(stage: string, account: Account) {
  const StackName = stackNameOf(stage)
  const client = new CloudFormationClient({ ...account, maxAttempts: 2 })

  const readTemplate = async (): Promise<unknown> => {
    const { TemplateBody = '{}' } = await client.send(
      new GetTemplateCommand({ StackName, TemplateStage: 'Original' }),
    )
    return JSON.parse(TemplateBody)
  }

  const protectStack = (EnableTerminationProtection: boolean) =>
    client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection }))

  return { read: () => readStack(client, stage), readTemplate, protectStack }
}

/** CloudFormation cannot do it: with the property in the template, it could not undo a first deployment. */
export async function protectTable(TableName: string, account: Account): Promise<void> {
  const client = new DynamoDBClient({ ...account, maxAttempts: 2 })
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  if (Table?.DeletionProtectionEnabled) return
  await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }))
}

/** The first deployment failed. CDK removes what is left of it before it begins again. */
export function isFailedCreation({ status }: DeployedStack): boolean {
  return status === 'ROLLBACK_COMPLETE' || status === 'CREATE_FAILED'
}

/** Why the stack cannot be deployed now, and what to do; undefined if it can. */
export function obstacleOf(stage: string, { status }: Pick<DeployedStack, 'status'>): string | undefined {
  const name = stackNameOf(stage)
  const lead = `The stack ${name} is in the state ${status}`
  if (/_IN_PROGRESS$/.test(status) && status !== 'REVIEW_IN_PROGRESS') {
    return `${lead}: wait until it ends.`
  }
  if (status === 'UPDATE_ROLLBACK_FAILED') {
    return `${lead}. Its events say which resource could not return. Then run: aws cloudformation continue-update-rollback --stack-name ${name}`
  }
  if (status === 'ROLLBACK_FAILED' || status === 'DELETE_FAILED') {
    return `${lead}. Its events say which resource could not be deleted. Delete it, and then run: aws cloudformation delete-stack --stack-name ${name}`
  }
  return undefined
}
