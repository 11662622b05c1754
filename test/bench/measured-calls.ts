// The calls that calls.ts measures: items like a post's entry in a list, and what a server answers.
import { createHash } from 'node:crypto'
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'

const keys = Array.from({ length: 20 }, (_, n) => ({ pk: 'POSTS', sk: `POST#${n}` }))
export const posts = keys.map((key, n) => ({
  ...key,
  id: n,
  revision: 3,
  slug: `a-post-about-something-${n}`,
  title: 'A post about something and something else',
  excerpt: 'Words of a post. '.repeat(12),
  published_ms: 1_780_000_000_000 + n,
  categories: [1, 2, 3],
  author: { id: 5, name: 'An author' },
  is_featured: false,
  picture: null,
}))
export const entries = keys.slice(0, 10).map(({ sk }, n) => ({
  Id: String(n),
  MessageBody: JSON.stringify({ kind: 'event', event: 'post.published', key: sk, text: 'x'.repeat(150) }),
}))
function md5(text: string) {
  return createHash('md5').update(text).digest('hex')
}

/** What a server answers that has the posts. */
export function answersOf(tableName: string): Record<string, unknown> {
  const items = posts.map(post => marshall(post))
  return {
    GetItem: { Item: items[0] },
    UpdateItem: { Attributes: marshall({ ...keys[0], n: 2 }) },
    BatchGetItem: { Responses: { [tableName]: items }, UnprocessedKeys: {} },
    Query: { Items: items.slice(0, 10), Count: 10, ScannedCount: 10 },
    SendMessageBatch: {
      Successful: entries.map(({ Id, MessageBody }) => ({ Id, MD5OfMessageBody: md5(MessageBody) })),
    },
  }
}

type Client = Pick<DynamoDBDocumentClient, 'send'>
const Increment = {
  UpdateExpression: 'SET #n = if_not_exists(#n, :none) + :one',
  ExpressionAttributeNames: { '#n': 'n' },
  ExpressionAttributeValues: { ':none': 0, ':one': 1 },
}

export function tableCalls(TableName: string): Record<string, (client: Client) => Promise<unknown>> {
  const [Key] = keys
  const writes = posts
    .slice(0, 12)
    .map(({ pk, sk, ...post }, n) =>
      n % 2
        ? { Put: { TableName, Item: { pk: 'WRITTEN', sk, ...post } } }
        : { Update: { TableName, Key: { pk, sk: `COUNT#${n}` }, ...Increment } },
    )
  return {
    '`GetItem`': client => client.send(new GetCommand({ TableName, Key, ConsistentRead: true })),
    '`UpdateItem`': client =>
      client.send(new UpdateCommand({ TableName, Key, ...Increment, ReturnValues: 'ALL_NEW' })),
    '`BatchGetItem`, 20 items': client =>
      client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: keys } } })),
    '`Query`, 10 items': client =>
      client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
          ExpressionAttributeValues: { ':pk': 'POSTS', ':sk': 'POST#' },
          Limit: 10,
          ConsistentRead: true,
        }),
      ),
    '`TransactWriteItems`, 12 actions': client =>
      client.send(
        new TransactWriteCommand({ TransactItems: writes, ClientRequestToken: crypto.randomUUID() }),
      ),
  }
}
