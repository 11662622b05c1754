// Opens a session of the owner that has only the permissions of a function.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Stack } from 'aws-cdk-lib'
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { tableStatements } from '../../access.ts'
import { type AwsAccount, callAws, memberOf } from '../aws-call.ts'

const ACCESS = {
  reads: ['POST'],
  writes: ['POST'],
  puts: [],
  updates: ['USER'],
  checks: ['SLUG'],
} satisfies Parameters<typeof tableStatements>[1]

const NOTHING = [{ Effect: 'Deny', Action: '*', Resource: '*' }]
/** The shortest that AWS allows. */
const SECONDS = '900'

/** Statements as the stack writes them into the role of a function. */
export function policyFor(tableArn: string): unknown[] {
  const table = TableV2.fromTableArn(new Stack(), 'Table', tableArn)
  return tableStatements(table, ACCESS).map(statement => statement.toJSON())
}

/** Without statements, the session may do nothing. */
export async function openSession(account: AwsAccount, statements: unknown[] = NOTHING) {
  const body = new URLSearchParams({
    Action: 'GetFederationToken',
    Version: '2011-06-15',
    Name: 'prove',
    DurationSeconds: SECONDS,
    Policy: JSON.stringify({ Version: '2012-10-17', Statement: statements }),
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const text = await callAws(account, { service: 'sts', body, headers })
  const credentials = {
    accessKeyId: memberOf(text, 'AccessKeyId') ?? '',
    secretAccessKey: memberOf(text, 'SecretAccessKey') ?? '',
    sessionToken: memberOf(text, 'SessionToken') ?? '',
  }
  return new DynamoDBClient({ region: account.region, credentials })
}
