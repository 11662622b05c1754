// The connection to DynamoDB: bounds on every attempt, and none that the table does not know of.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** A call takes milliseconds, the largest transaction some hundreds: what takes longer hangs. */
export const BOUNDS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true }

/** Trying again is the table's: the SDK does it neither for conflicts nor with an eye on the time that is left. */
const CONNECTION = { maxAttempts: 1, requestHandler: BOUNDS } satisfies DynamoDBClientConfig

/** What `settings` leaves open is as the environment says, and bound by BOUNDS. */
export function connect(settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ ...CONNECTION, ...settings })
  // The SDK's logger copies every question and answer without their secrets, and here nobody logs them.
  client.middlewareStack.remove('loggerMiddleware')
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
}
