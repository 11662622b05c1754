// The calls of the table as DynamoDB takes and answers them. Any other member leaves a call to the SDK.
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { DirectCalls } from '../aws/direct.ts'
import type { DirectCall } from '../aws/direct-call.ts'
import { listOf, mapOf, members, plain } from '../aws/shapes.ts'
import { fromAttributes, toAttributes } from './attributes.ts'

const TABLE = { TableName: plain, ReturnConsumedCapacity: plain }
const EXPRESSION = { ExpressionAttributeNames: plain, ExpressionAttributeValues: toAttributes }
const CONDITION = {
  ...EXPRESSION,
  ConditionExpression: plain,
  ReturnValues: plain,
  ReturnValuesOnConditionCheckFailure: plain,
}
const PUT = { ...TABLE, ...CONDITION, Item: toAttributes }
const UPDATE = { ...TABLE, ...CONDITION, Key: toAttributes, UpdateExpression: plain }
const DELETE = { ...TABLE, ...CONDITION, Key: toAttributes }
const READ = { ConsistentRead: plain, ProjectionExpression: plain, ExpressionAttributeNames: plain }

const WRITTEN = members({ Attributes: fromAttributes, ConsumedCapacity: plain })

const GET: DirectCall = {
  operation: 'GetItem',
  request: members({ ...TABLE, ...READ, Key: toAttributes }),
  answer: members({ Item: fromAttributes, ConsumedCapacity: plain }),
}

const QUERY: DirectCall = {
  operation: 'Query',
  request: members({
    ...TABLE,
    ...READ,
    ...EXPRESSION,
    ExclusiveStartKey: toAttributes,
    FilterExpression: plain,
    IndexName: plain,
    KeyConditionExpression: plain,
    Limit: plain,
    ScanIndexForward: plain,
    Select: plain,
  }),
  answer: members({
    Items: listOf(fromAttributes),
    Count: plain,
    ScannedCount: plain,
    LastEvaluatedKey: fromAttributes,
    ConsumedCapacity: plain,
  }),
}

const BATCH_GET: DirectCall = {
  operation: 'BatchGetItem',
  request: members({
    ReturnConsumedCapacity: plain,
    RequestItems: mapOf(members({ ...READ, Keys: listOf(toAttributes) })),
  }),
  answer: members({
    Responses: mapOf(listOf(fromAttributes)),
    UnprocessedKeys: mapOf(members({ ...READ, Keys: listOf(fromAttributes) })),
    ConsumedCapacity: plain,
  }),
}

const BATCH_WRITE: DirectCall = {
  operation: 'BatchWriteItem',
  request: members({
    ReturnConsumedCapacity: plain,
    RequestItems: mapOf(
      listOf(
        members({
          PutRequest: members({ Item: toAttributes }),
          DeleteRequest: members({ Key: toAttributes }),
        }),
      ),
    ),
  }),
  answer: members({
    UnprocessedItems: mapOf(
      listOf(
        members({
          PutRequest: members({ Item: fromAttributes }),
          DeleteRequest: members({ Key: fromAttributes }),
        }),
      ),
    ),
    ConsumedCapacity: plain,
  }),
}

const TRANSACTION: DirectCall = {
  operation: 'TransactWriteItems',
  request: members({
    ReturnConsumedCapacity: plain,
    ClientRequestToken: plain,
    TransactItems: listOf(
      members({
        Put: members(PUT),
        Update: members(UPDATE),
        Delete: members(DELETE),
        ConditionCheck: members(DELETE),
      }),
    ),
  }),
  answer: members({ ConsumedCapacity: plain }),
}

export const TABLE_CALLS: DirectCalls = {
  calls: new Map<unknown, DirectCall>([
    [GetCommand, GET],
    [QueryCommand, QUERY],
    [BatchGetCommand, BATCH_GET],
    [BatchWriteCommand, BATCH_WRITE],
    [TransactWriteCommand, TRANSACTION],
    [PutCommand, { operation: 'PutItem', request: members(PUT), answer: WRITTEN }],
    [UpdateCommand, { operation: 'UpdateItem', request: members(UPDATE), answer: WRITTEN }],
    [DeleteCommand, { operation: 'DeleteItem', request: members(DELETE), answer: WRITTEN }],
  ]),
  routeKeyOf: () => 'table',
}
