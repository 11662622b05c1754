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

/** `ForAllValues` also holds for a request without keys, so `Null` requires them. */
function statement(actions: string[], resource: string, reaches: Reach[]): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map(action => `dynamodb:${action}`),
    resources: [resource],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': reaches.flatMap(partitionsOf) },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  })
}

/** One statement for each kind of access that the function declares. */
export function tableStatements(table: ITableV2, access: Access): PolicyStatement[] {
  const granted: [actions: string[], reaches: Reach[]][] = [
    [READ, access.reads],
    [WRITE, access.writes],
    [PUT, access.puts],
    [UPDATE, access.updates],
    [CHECK, access.checks],
  ]
  return granted
    .filter(([, reaches]) => reaches.length > 0)
    .map(([actions, reaches]) => statement(actions, table.tableArn, reaches))
}
