// What a session with the policy of a function tries: transactions, queries, a scan.
import { randomUUID } from 'node:crypto'
import {
  type DynamoDBClient,
  QueryCommand,
  ScanCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'

export type Attempt = {
  what: string
  isAllowed: boolean
  run: (session: DynamoDBClient) => Promise<unknown>
}

/** For a session that may write POST, check SLUG and change USER. They write nothing. */
export function attemptsOn(TableName: string): Attempt[] {
  const id = randomUUID()
  // No item has these keys, so the condition never holds.
  const onItem = (kind: string) => ({
    TableName,
    Key: { pk: { S: `${kind}#${id}` }, sk: { S: kind } },
    ConditionExpression: 'attribute_exists(pk)',
  })
  const check = (kind: string): TransactWriteItem => ({ ConditionCheck: onItem(kind) })
  const remove = (kind: string): TransactWriteItem => ({ Delete: onItem(kind) })
  const change = (kind: string): TransactWriteItem => ({
    Update: {
      ...onItem(kind),
      UpdateExpression: 'SET changed = :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    },
  })
  const transact = (what: string, allowed: boolean, ...TransactItems: TransactWriteItem[]): Attempt => ({
    what,
    isAllowed: allowed,
    run: session => session.send(new TransactWriteItemsCommand({ TransactItems })),
  })
  const query = (what: string, allowed: boolean, partition: string): Attempt => ({
    what,
    isAllowed: allowed,
    run: session =>
      session.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: partition } },
          Limit: 1,
        }),
      ),
  })
  return [
    transact('a transaction of its kind', true, remove('POST')),
    transact('a condition on another kind in a transaction', true, remove('POST'), check('SLUG')),
    transact('a change of what it may change, in a transaction', true, change('USER')),
    query('its own partition', true, `POST#${id}`),
    transact('a transaction of another kind', false, remove('PASSWORD')),
    transact('another kind beside its own in a transaction', false, remove('POST'), remove('PASSWORD')),
    transact('a delete of what it may only check', false, remove('SLUG')),
    transact('a change of what it may only check', false, change('SLUG')),
    transact('a delete of what it may only change', false, remove('USER')),
    query('another partition', false, `PASSWORD#${id}`),
    {
      what: 'a scan, which has no key',
      isAllowed: false,
      run: session => session.send(new ScanCommand({ TableName, Limit: 1 })),
    },
  ]
}
