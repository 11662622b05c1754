// Creates the template's DynamoDB tables in the local database, unless they exist.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import * as z from 'zod/mini'
import { arn, clientSettings } from '../account.ts'
import { pick } from '../template/pick.ts'
import { parseProperties, type ResolverValues, type Resource } from '../template/template.ts'

type Refs = ResolverValues['refs']

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))

const tableProperties = z.object({
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z.optional(
    z.array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({
          ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
          NonKeyAttributes: z.optional(z.array(z.string())),
        }),
      }),
    ),
  ),
  TimeToLiveSpecification: z.optional(
    z.object({ AttributeName: z.optional(z.string()), Enabled: z.boolean() }),
  ),
})

type TableProperties = z.infer<typeof tableProperties>
const names = Object.keys(tableProperties.shape)

const ACTIVE_TIMEOUT_MS = 30_000

/**
 * Supports AWS::DynamoDB::Table and ::GlobalTable (CDK's TableV2). The name is the logical id and `suffix`.
 * Throws if an existing table has other keys or indexes than the template.
 */
export async function createTables(options: {
  resources: Resource[]
  resolve: (value: unknown) => unknown
  endpoint: string
  suffix: string
}): Promise<Refs> {
  const client = new DynamoDBClient(clientSettings(options.endpoint))
  try {
    const tables = options.resources.map(async resource => {
      const { id, properties } = resource
      const declared = parseProperties(resource, tableProperties, options.resolve(pick(properties, names)))
      const name = `${id}-${options.suffix}`
      await createTable(client, name, declared)
      return [
        id,
        { ref: name, attributes: { Arn: arn('dynamodb', `table/${name}`), TableId: name } },
      ] as const
    })
    return new Map(await Promise.all(tables))
  } finally {
    client.destroy()
  }
}

/** The name of the partition key of each table and index, by ARN. `refs` must contain the tables. */
export function partitionKeysOf(
  resources: Resource[],
  resolve: (value: unknown) => unknown,
  refs: Refs,
): Map<string, string> {
  const keyIn = (schema: z.output<typeof keySchema>) =>
    schema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? ''
  const entries = resources.flatMap(resource => {
    const table = refs.get(resource.id)?.attributes.Arn ?? ''
    const declared = parseProperties(resource, tableProperties, resolve(pick(resource.properties, names)))
    const indexes = declared.GlobalSecondaryIndexes ?? []
    return [
      [table, keyIn(declared.KeySchema)] as const,
      ...indexes.map(index => [`${table}/index/${index.IndexName}`, keyIn(index.KeySchema)] as const),
    ]
  })
  return new Map(entries)
}

async function createTable(client: DynamoDBClient, name: string, declared: TableProperties): Promise<void> {
  const { TimeToLiveSpecification: ttl, ...definition } = declared
  const existing = await findTable(client, name)
  if (existing) {
    checkKeys(existing, declared)
  } else {
    await client.send(
      new CreateTableCommand({ TableName: name, BillingMode: 'PAY_PER_REQUEST', ...definition }),
    )
  }
  await untilActive(client, name)
  if (ttl?.Enabled && ttl.AttributeName) await enableTtl(client, name, ttl.AttributeName)
}

async function findTable(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
}

function checkKeys(existing: TableDescription, declared: TableProperties): void {
  if (shapeOf(existing) === shapeOf(declared)) return
  throw new Error(
    `The table of an earlier run has other keys or indexes than the template. To delete it and start over: npm start -- --reset`,
  )
}

type WithKeySchema = { KeySchema?: { AttributeName?: string; KeyType?: string }[] }

/** Keys and indexes as one string, for comparison. */
function shapeOf(
  table: WithKeySchema & { GlobalSecondaryIndexes?: (WithKeySchema & { IndexName?: string })[] },
): string {
  const keys = ({ KeySchema = [] }: WithKeySchema) =>
    KeySchema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`)
  const indexes = (table.GlobalSecondaryIndexes ?? []).map(index => [index.IndexName, ...keys(index)].join())
  return [keys(table), ...indexes.sort()].join('\n')
}

async function untilActive(client: DynamoDBClient, name: string): Promise<void> {
  const deadline = performance.now() + ACTIVE_TIMEOUT_MS
  while ((await findTable(client, name))?.TableStatus !== 'ACTIVE') {
    if (performance.now() > deadline) throw new Error(`The table ${name} did not become active.`)
    await sleep(20)
  }
}

async function enableTtl(client: DynamoDBClient, name: string, attribute: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }))
  if (TimeToLiveDescription?.AttributeName === attribute) return
  const specification = { AttributeName: attribute, Enabled: true }
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: specification }))
}
