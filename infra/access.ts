// What a function's role may do: named actions on the kinds of records it names, and nothing else.
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Access } from '../shared/service/needs.ts'
import { OPEN_INDEX } from '../shared/table/design.ts'
import type { Kind } from '../shared/table/kinds.ts'

const READ = ['GetItem', 'BatchGetItem', 'Query']
/** A transaction is judged by the actions in it. */
const CHECK = ['ConditionCheckItem']
const WRITE = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', ...CHECK]

/** The one kind that is a partition of the index only. */
const INDEXED: Kind = 'OPEN'

/** `ForAllValues` is true of nothing at all, so a key must be there, too. */
const statement = (actions: string[], resource: string, kinds: Kind[]): PolicyStatement =>
  new PolicyStatement({
    actions: actions.map(action => `dynamodb:${action}`),
    resources: [resource],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.flatMap(kind => [kind, `${kind}#*`]) },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  })

export const tableStatements = (
  table: ITableV2,
  { reads, writes, checks = [] }: Access,
): PolicyStatement[] => {
  const [read, written] = [new Set(reads), new Set(writes)]
  const statements: PolicyStatement[] = []
  if (read.delete(INDEXED))
    statements.push(statement(['Query'], `${table.tableArn}/index/${OPEN_INDEX.name}`, [INDEXED]))
  if (read.size > 0) statements.push(statement(READ, table.tableArn, [...read]))
  if (written.size > 0) statements.push(statement(WRITE, table.tableArn, [...written]))
  if (checks.length > 0) statements.push(statement(CHECK, table.tableArn, checks))
  return statements
}
