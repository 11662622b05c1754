// Connects to DynamoDB, with a time limit on every attempt and without the SDK's own retries.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { sendDirectly } from '../aws/direct.ts'
import { TABLE_CALLS } from './direct-calls.ts'

/** A call takes milliseconds, the largest transaction some hundreds. A longer call hangs. */
export const BOUNDS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true }

/** `retrying` retries instead of the SDK, which neither retries conflicts nor knows the deadline. */
const CONNECTION = { maxAttempts: 1, requestHandler: BOUNDS } satisfies DynamoDBClientConfig

/** Settings that are not given come from the environment and BOUNDS. */
export function connect(settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  return openDocuments(new DynamoDBClient({ ...CONNECTION, ...settings }))
}

/** Sends the calls of the client directly, and translates items. */
export function openDocuments(client: DynamoDBClient): DynamoDBDocumentClient {
  // The SDK's logger copies every request and response, and nothing here logs them.
  client.middlewareStack.remove('loggerMiddleware')
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  return sendDirectly(documents, TABLE_CALLS)
}
