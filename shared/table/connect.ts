// The connection to DynamoDB: bounds on every attempt, and none that the table does not know of.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** A call takes milliseconds, the largest transaction some hundreds: what takes longer hangs. */
export const BOUNDS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true }

/** Trying again is the table's: the SDK does it neither for conflicts nor with an eye on the time that is left. */
export const CONNECTION = { maxAttempts: 1, requestHandler: BOUNDS } satisfies DynamoDBClientConfig

type Place = Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'>

/** `place` empty: as the environment says. */
export const connect = (place: Place = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ ...place, ...CONNECTION }), {
    marshallOptions: { removeUndefinedValues: true },
  })
