// The clients of a local run, as its owner.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { openSqs } from '../../shared/events/sqs.ts'
import { clientSettings } from '../local/account.ts'
import { connectLocally } from '../local/dynamodb/table.ts'

/** `dynamodb` is for the settings of tables, `client` for what is in them. */
export function localClients(endpoints: { dynamodb: string; sqs: string }) {
  return {
    dynamodb: new DynamoDBClient(clientSettings(endpoints.dynamodb)),
    client: connectLocally(endpoints.dynamodb),
    sqs: openSqs(clientSettings(endpoints.sqs)),
  }
}
