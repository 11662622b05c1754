// Asks CloudFormation whether the stack is being rolled back.
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { log } from '../runtime/log.ts'

const SETTINGS = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
}

/**
 * False if the status cannot be read, so that no release stays untested. In a rollback the last release is
 * tested then, and passes as it did before.
 */
export async function isRollingBack(stackId: string): Promise<boolean> {
  const client = new CloudFormationClient(SETTINGS)
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackId }))
    return Stacks?.[0]?.StackStatus?.includes('ROLLBACK') ?? false
  } catch (error) {
    log('warn', 'the status of the stack could not be read, so the smoke test runs', {
      problem: String(error),
    })
    return false
  } finally {
    client.destroy()
  }
}
