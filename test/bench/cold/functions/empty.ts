// A handler that only builds the clients that every function builds: the least that loading can cost.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'

const clients = { documents: DynamoDBDocumentClient.from(new DynamoDBClient()), sqs: new SQSClient() }
const commands = [
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
]

export async function handler() {
  return { clients: Object.keys(clients), commands: commands.length }
}
