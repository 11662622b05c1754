// The template's tables in a real database: keys, indexes and expiry as declared.
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, it } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { createTables } from '../../infra/local/dynamodb/tables.ts'
import { startDynamodb } from '../../infra/local/dynamodb/database.ts'
import { TABLE } from './small-stack.ts'

let endpoint = ''
let client: DynamoDBClient
beforeAll(async () => {
  const dynamodb = await startDynamodb()
  endpoint = dynamodb.endpoint
  client = new DynamoDBClient(clientSettings(endpoint))
  return async () => {
    client.destroy()
    await dynamodb.stop()
  }
})

function create(id: string, properties: Record<string, unknown> = TABLE.Properties, type = TABLE.Type) {
  const resolve = (value: unknown) => value
  return createTables({ resources: [{ id, type, properties }], resolve, endpoint, suffix: '0a1b2c3d' })
}

async function describeTable(name: string): Promise<TableDescription | undefined> {
  return (await client.send(new DescribeTableCommand({ TableName: name }))).Table
}

describe('createTables', () => {
  it('creates an active table with its keys and indexes', async () => {
    await create('Content')
    const created = await describeTable('Content-0a1b2c3d')
    expect(created).toMatchObject({ TableStatus: 'ACTIVE', KeySchema: TABLE.Properties.KeySchema })
    expect(created?.GlobalSecondaryIndexes).toMatchObject(TABLE.Properties.GlobalSecondaryIndexes)
  })

  it('enables expiry by the TTL attribute', async () => {
    await create('Expiring')
    const { TimeToLiveDescription } = await client.send(
      new DescribeTimeToLiveCommand({ TableName: 'Expiring-0a1b2c3d' }),
    )
    expect(TimeToLiveDescription).toMatchObject({ AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' })
  })

  it('names a table by its logical id and the suffix of the state', async () => {
    const refs = await create('Named')
    expect(refs.get('Named')).toMatchObject({
      ref: 'Named-0a1b2c3d',
      attributes: { Arn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Named-0a1b2c3d' },
    })
  })

  it('keeps an existing table', async () => {
    await create('Kept')
    const first = await describeTable('Kept-0a1b2c3d')
    await create('Kept')
    expect((await describeTable('Kept-0a1b2c3d'))?.CreationDateTime).toEqual(first?.CreationDateTime)
  })

  it('rejects an existing table with other indexes, with advice', async () => {
    const { GlobalSecondaryIndexes: _, ...withoutIndex } = TABLE.Properties
    const AttributeDefinitions = TABLE.Properties.AttributeDefinitions.slice(0, 2)
    await create('Changed', { ...withoutIndex, AttributeDefinitions })
    await expect(create('Changed')).rejects.toThrow('--reset')
  })

  it('creates an AWS::DynamoDB::Table without indexes and expiry', async () => {
    const { KeySchema } = TABLE.Properties
    const AttributeDefinitions = TABLE.Properties.AttributeDefinitions.slice(0, 2)
    await create('Plain', { KeySchema, AttributeDefinitions }, 'AWS::DynamoDB::Table')
    expect(await describeTable('Plain-0a1b2c3d')).toMatchObject({ TableStatus: 'ACTIVE' })
  })
})
