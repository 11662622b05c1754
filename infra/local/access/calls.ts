// What a call to an AWS service asks for, as IAM sees it: actions, each on one thing, with what conditions look at.
import { arn } from '../account.ts'
import { attributesIn } from './expressions.ts'
import type { AccessRequest } from './policy.ts'

/** The operation in its header, and its input. */
export type AwsCall = { operation: string; input: unknown }
/** The name of a partition key, by the ARN of its table or index. */
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

/** A transaction asks for each action in it; a batch for one action, on the keys of all its items. */
export function dynamodbRequests(
  { operation, input }: AwsCall,
  partitionKeys: PartitionKeys,
): AccessRequest[] {
  const given = fieldsIn(input)
  if (operation.startsWith('Transact')) {
    return listIn(given.TransactItems).flatMap(item =>
      Object.entries(fieldsIn(item)).map(([kind, one]) =>
        itemRequest(TRANSACTION_ACTIONS[kind] ?? kind, fieldsIn(one), partitionKeys),
      ),
    )
  }
  if (operation.startsWith('Batch')) {
    return Object.entries(fieldsIn(given.RequestItems)).map(([table, items]) =>
      accessRequest(
        operation,
        tableArn(table),
        partitionKeys,
        name => batchKeys(items).map(keyed => keyed[name]),
        [...new Set(batchWrites(items).flatMap(Object.keys))],
      ),
    )
  }
  return [itemRequest(operation, given, partitionKeys)]
}

/** A batch is judged by the permission for one. */
export function sqsRequests({ operation, input }: AwsCall): AccessRequest[] {
  const name = textIn(fieldsIn(input).QueueUrl).split('/').at(-1) ?? ''
  return [{ action: `sqs:${operation.replace(/Batch$/, '')}`, resource: arn('sqs', name), context: {} }]
}

/** A mail asks for the identity that sends it, and for the set of rules that it names. */
export function sesRequests({ input }: AwsCall): AccessRequest[] {
  const { FromEmailAddress, ConfigurationSetName } = fieldsIn(input)
  const [from, rules] = [textIn(FromEmailAddress), textIn(ConfigurationSetName)]
  const context = { 'ses:FromAddress': [from] }
  const resources = [`identity/${from}`, ...(rules ? [`configuration-set/${rules}`] : [])]
  return resources.map(resource => ({ action: 'ses:SendEmail', resource: arn('ses', resource), context }))
}

function tableArn(table: string) {
  return arn('dynamodb', `table/${table}`)
}

/** A key that is not there is none, which conditions notice. */
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

function itemRequest(action: string, one: Fields, partitionKeys: PartitionKeys): AccessRequest {
  const table = tableArn(textIn(one.TableName))
  const resource = one.IndexName === undefined ? table : `${table}/index/${textIn(one.IndexName)}`
  const keyed = fieldsIn(one.Key ?? one.Item)
  const named = attributesIn(EXPRESSIONS.map(name => textIn(one[name])).join(' '), namesIn(one))
  const attributes = [...new Set([...Object.keys(keyed), ...named])]
  return accessRequest(
    action,
    resource,
    partitionKeys,
    name => [keyed[name] ?? equalityIn(one, name)],
    attributes,
  )
}

const EXPRESSIONS = ['UpdateExpression', 'ConditionExpression', 'ProjectionExpression']
function namesIn({ ExpressionAttributeNames }: Fields) {
  return fieldsIn(ExpressionAttributeNames)
}

function batchWrites(items: unknown): Fields[] {
  const writes = listIn(items).map(fieldsIn)
  return writes.map(each => fieldsIn(fieldsIn(each.PutRequest).Item ?? fieldsIn(each.DeleteRequest).Key))
}

function batchKeys(items: unknown): Fields[] {
  return [...listIn(fieldsIn(items).Keys).map(fieldsIn), ...batchWrites(items)]
}

/** `#pk = :pk AND …` of a query: the value that the key must have. */
function equalityIn(query: Fields, key: string): unknown {
  const names = namesIn(query)
  for (const [, name = '', value = ''] of textIn(query.KeyConditionExpression).matchAll(EQUATION)) {
    if ((names[name] ?? name) === key) return fieldsIn(query.ExpressionAttributeValues)[value]
  }
  return undefined
}

const EQUATION = /([#\w.-]+)\s*=\s*(:\w+)/g
