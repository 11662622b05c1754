// Connects to DynamoDB, with a time limit on every attempt: `retrying` repeats those that may succeed later.
import type * as DynamoDB from '@aws-sdk/client-dynamodb'
import { type Client, type ClientSettings, openClient } from '../aws/client.ts'
import { DYNAMODB } from '../aws/services.ts'

export type TableOperations = {
  GetItem: [DynamoDB.GetItemInput, DynamoDB.GetItemOutput]
  BatchGetItem: [DynamoDB.BatchGetItemInput, DynamoDB.BatchGetItemOutput]
  Query: [DynamoDB.QueryInput, DynamoDB.QueryOutput]
  /** Only the operator may. */
  Scan: [DynamoDB.ScanInput, DynamoDB.ScanOutput]
  PutItem: [DynamoDB.PutItemInput, DynamoDB.PutItemOutput]
  UpdateItem: [DynamoDB.UpdateItemInput, DynamoDB.UpdateItemOutput]
  DeleteItem: [DynamoDB.DeleteItemInput, DynamoDB.DeleteItemOutput]
  BatchWriteItem: [DynamoDB.BatchWriteItemInput, DynamoDB.BatchWriteItemOutput]
  TransactWriteItems: [DynamoDB.TransactWriteItemsInput, DynamoDB.TransactWriteItemsOutput]
}
export type TableClient = Client<TableOperations>

export function connect(settings: ClientSettings): TableClient {
  return openClient<TableOperations>(DYNAMODB, settings)
}
