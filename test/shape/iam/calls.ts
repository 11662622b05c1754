// Translates a call to an AWS service into IAM's terms: actions, each with a resource and condition keys.
import { arn } from '../../../infra/local/account.ts'
import { attributesIn } from './expressions.ts'
import type { AccessRequest } from './policy.ts'

export type AwsCall = { operation: string; input: unknown }
/** The names of partition keys, by the ARN of the table or index. */
export type PartitionKeys = Map<string, string>

type Fields = Record<string, unknown>
function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fieldsIn(value: unknown): Fields {
  return isFields(value) ? value : {}
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

const TRANSACTION_ACTIONS: Record<string, string> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
}

/** A transaction needs permission for each of its actions; a batch for one action on all its keys. */
export function dynamodbRequests(
  { operation, input }: AwsCall,
  partitionKeys: PartitionKeys,
): AccessRequest[] {
  const fields = fieldsIn(input)
  if (operation.startsWith('Transact')) {
    return listIn(fields.TransactItems).flatMap(item =>
      Object.entries(fieldsIn(item)).map(([kind, action]) =>
        itemRequest(TRANSACTION_ACTIONS[kind] ?? kind, fieldsIn(action), partitionKeys),
      ),
    )
  }
  if (operation.startsWith('Batch')) {
    return Object.entries(fieldsIn(fields.RequestItems)).map(([table, items]) =>
      accessRequest(
        operation,
        tableArn(table),
        partitionKeys,
        name => batchKeys(items).map(keyed => keyed[name]),
        [...new Set(batchWrites(items).flatMap(Object.keys))],
      ),
    )
  }
  return [itemRequest(operation, fields, partitionKeys)]
}

/** A batch needs the same permission as a single call. */
export function sqsRequests({ operation, input }: AwsCall): AccessRequest[] {
  const name = textIn(fieldsIn(input).QueueUrl).split('/').at(-1) ?? ''
  return [{ action: `sqs:${operation.replace(/Batch$/, '')}`, resource: arn('sqs', name), context: {} }]
}

/** The id of a secret is its ARN. */
export function secretRequests({ operation, input }: AwsCall): AccessRequest[] {
  const resource = textIn(fieldsIn(input).SecretId)
  return [{ action: `secretsmanager:${operation}`, resource, context: {} }]
}

/** A mail needs permission for the sending identity and for its configuration set. */
export function sesRequests({ input }: AwsCall): AccessRequest[] {
  const { FromEmailAddress, ConfigurationSetName } = fieldsIn(input)
  const [from, configurationSet] = [textIn(FromEmailAddress), textIn(ConfigurationSetName)]
  const context = { 'ses:FromAddress': [from] }
  const resources = [
    `identity/${from}`,
    ...(configurationSet ? [`configuration-set/${configurationSet}`] : []),
  ]
  return resources.map(resource => ({ action: 'ses:SendEmail', resource: arn('ses', resource), context }))
}

function tableArn(table: string) {
  return arn('dynamodb', `table/${table}`)
}

/** Leaves out missing keys, so that a `Null` condition detects them. */
function accessRequest(
  action: string,
  resource: string,
  partitionKeys: PartitionKeys,
  valuesOf: (name: string) => unknown[],
  attributes: string[],
): AccessRequest {
  const values = valuesOf(partitionKeys.get(resource) ?? '').map(value => textIn(fieldsIn(value).S))
  const context = {
    'dynamodb:LeadingKeys': values.filter(value => value !== ''),
    'dynamodb:Attributes': attributes,
  }
  return { action: `dynamodb:${action}`, resource, context }
}

function itemRequest(action: string, input: Fields, partitionKeys: PartitionKeys): AccessRequest {
  const table = tableArn(textIn(input.TableName))
  const resource = input.IndexName === undefined ? table : `${table}/index/${textIn(input.IndexName)}`
  const keyed = fieldsIn(input.Key ?? input.Item)
  const mentioned = attributesIn(EXPRESSIONS.map(name => textIn(input[name])).join(' '), namesIn(input))
  const attributes = [...new Set([...Object.keys(keyed), ...mentioned])]
  return accessRequest(
    action,
    resource,
    partitionKeys,
    name => [keyed[name] ?? equalityIn(input, name)],
    attributes,
  )
}

const EXPRESSIONS = ['UpdateExpression', 'ConditionExpression', 'ProjectionExpression']
function namesIn({ ExpressionAttributeNames }: Fields) {
  return fieldsIn(ExpressionAttributeNames)
}

function batchWrites(items: unknown): Fields[] {
  const writes = listIn(items).map(fieldsIn)
  return writes.map(write => fieldsIn(fieldsIn(write.PutRequest).Item ?? fieldsIn(write.DeleteRequest).Key))
}

function batchKeys(items: unknown): Fields[] {
  return [...listIn(fieldsIn(items).Keys).map(fieldsIn), ...batchWrites(items)]
}

/** The value of the partition key in the key condition of a query (`#pk = :pk AND …`). */
function equalityIn(query: Fields, key: string): unknown {
  const names = namesIn(query)
  for (const [, name = '', value = ''] of textIn(query.KeyConditionExpression).matchAll(EQUATION)) {
    if ((names[name] ?? name) === key) return fieldsIn(query.ExpressionAttributeValues)[value]
  }
  return undefined
}

const EQUATION = /([#\w.-]+)\s*=\s*(:\w+)/g
