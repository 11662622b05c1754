// Turns a function's declared access into policy statements: named actions on named kinds of records.
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { type Access, partitionsOf } from '../shared/service/needs.ts'
import type { Reach } from '../shared/table/kinds.ts'

const READ = ['GetItem', 'BatchGetItem', 'Query']
/** IAM has no action for a transaction: it checks the actions in it. */
const CHECK = ['ConditionCheckItem']
const PUT = ['PutItem']
const UPDATE = ['UpdateItem']
const WRITE = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', ...CHECK]

/** AWS counts the key of an item among the attributes that a request names. */
const KEY_ATTRIBUTES = ['pk', 'sk']

/** `ForAllValues` also holds for a request without keys or attributes, so `Null` requires them. */
function statement(
  actions: string[],
  resource: string,
  reaches: Reach[],
  attributes?: string[],
): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map(action => `dynamodb:${action}`),
    resources: [resource],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': reaches.flatMap(partitionsOf) },
      ...(attributes && {
        'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...KEY_ATTRIBUTES, ...attributes] },
      }),
      Null: {
        'dynamodb:LeadingKeys': 'false',
        ...(attributes && { 'dynamodb:Attributes': 'false' }),
      },
    },
  })
}

export function tableStatements(
  table: ITableV2,
  { reads, writes, puts = [], checks = [], updates = [] }: Access,
): PolicyStatement[] {
  const statements: PolicyStatement[] = []
  if (reads.length > 0) statements.push(statement(READ, table.tableArn, [...new Set(reads)]))
  if (writes.length > 0) statements.push(statement(WRITE, table.tableArn, [...new Set(writes)]))
  if (puts.length > 0) statements.push(statement(PUT, table.tableArn, puts))
  if (checks.length > 0) statements.push(statement(CHECK, table.tableArn, checks))
  for (const { of, attributes } of updates) {
    statements.push(statement(UPDATE, table.tableArn, [of], attributes))
  }
  return statements
}
