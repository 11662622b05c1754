// What conditions of LeadingKeys and Attributes allow and deny, in a session with the policy of a function.
import {
  DescribeTableCommand,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { type Check, cannotBeTold, type Finding, heldUnless } from '../check.ts'
import { isRefused } from '../report.ts'
import { type Attempt, attemptsOn } from './session-attempts.ts'

export const SESSION_CHECK: Check = {
  name: 'LeadingKeys and Attributes, allowed and denied',
  did: 'Opened a session with the policy of a function, and tried transactions and queries that write nothing.',
  expected: 'Keys of its kinds are allowed, others denied, also together in a transaction.',
  run: async ({ target, account }) => {
    const { tableName, dynamodb } = target
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }))
    // The CDK takes a second to load, and only this check needs it.
    const { openSession, policyFor } = await import('./session.ts')
    try {
      const session = await openSession(account, policyFor(Table?.TableArn ?? ''))
      const powerless = await openSession(account)
      return await tryAll(session, powerless, attemptsOn(tableName))
    } catch (error) {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
      return cannotBeTold(
        `Only the access key of an IAM user opens such a session, by GetFederationToken. ${text}`,
      )
    }
  },
}

/** A session that may do nothing shows whether permissions of sessions are checked at all. */
async function tryAll(
  session: DynamoDBClient,
  powerless: DynamoDBClient,
  attempts: Attempt[],
): Promise<Finding> {
  for (const { run } of attempts.slice(0, 1)) {
    if (await isAllowed(() => run(powerless))) {
      return cannotBeTold('Permissions are not checked here: a session that may do nothing may write.')
    }
  }
  const wrong: string[] = []
  for (const { what, isAllowed: expected, run } of attempts) {
    const found = await isAllowed(() => run(session))
    if (found !== expected) wrong.push(`${what} is ${found ? 'allowed' : 'denied'}.`)
  }
  return heldUnless(wrong, `${attempts.length} attempts, as expected`)
}

/** A transaction that fails by its condition was allowed. */
async function isAllowed(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    if (error instanceof TransactionCanceledException) return true
    if (error instanceof Error && isRefused(error)) return false
    throw error
  }
}
