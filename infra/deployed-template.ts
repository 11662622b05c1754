// Reads the template of a deployed stack.
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation'
import type { LambdaClientConfig } from '@aws-sdk/client-lambda'
import { stackNameOf } from './names.ts'

/** Undefined if there is no such stack yet. Throws if it cannot be read. */
export async function readDeployedTemplate(
  stage: string,
  account: Pick<LambdaClientConfig, 'region' | 'credentials' | 'profile'>,
): Promise<unknown> {
  const client = new CloudFormationClient({ ...account, maxAttempts: 2 })
  const command = new GetTemplateCommand({ StackName: stackNameOf(stage), TemplateStage: 'Original' })
  try {
    const { TemplateBody = '{}' } = await client.send(command)
    return JSON.parse(TemplateBody)
  } catch (error) {
    const isMissing = error instanceof Error && /does not exist/.test(error.message)
    if (isMissing) return undefined
    throw error
  }
}
