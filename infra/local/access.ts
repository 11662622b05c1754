// Refuses what shared/service/ does not declare for a function, by kind of record and queue, in AWS's words.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { AwsError, type Call, type Client, type Operations } from '../../shared/aws/client.ts'
import { type Access, type FunctionDeclaration, partitionsOf } from '../../shared/service/permissions.ts'
import type { RecordKind } from '../../shared/table/kinds.ts'
import { ACCOUNT_ID, queueNameIn } from './account.ts'

/** What all functions of a run may do, did, and were refused. */
export type AccessRecord = { granted: Set<string>; used: Set<string>; denied: string[] }

export function openAccessRecord(): AccessRecord {
  return { granted: new Set(), used: new Set(), denied: [] }
}

/** Throws an error like AWS's if the function may not make the call. */
type CheckCall = (operation: string, input: object) => void

/** A client that checks each call before it sends it. */
export function guarded<O extends Operations>({ call, destroy }: Client<O>, check: CheckCall): Client<O> {
  const checked: Call<O> = async (operation, input, options) => {
    check(operation, input)
    return await call(operation, input, options)
  }
  return { call: checked, destroy }
}

type Grant = { declaration: keyof Access; allows: (pk: string) => boolean; name: string }
/** The declarations that allow an action. */
const ALLOWED_BY: Record<string, (keyof Access)[]> = {
  GetItem: ['reads'],
  Query: ['reads'],
  PutItem: ['writes', 'puts'],
  UpdateItem: ['writes', 'updates'],
  DeleteItem: ['writes'],
  ConditionCheckItem: ['writes', 'reads'],
}
const IN_TRANSACTION: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
}

export function checkTableCalls(name: string, access: Access, record: AccessRecord): CheckCall {
  const grants = grantsOf(name, access)
  for (const grant of grants) record.granted.add(grant.name)
  return (operation, input) => {
    for (const { action, pk } of touched(operation, input)) {
      const allowedBy = ALLOWED_BY[action] ?? []
      const grant = grants.find(({ declaration, allows }) => allowedBy.includes(declaration) && allows(pk))
      if (!grant) throw denial(record, name, `dynamodb:${action}`, `a record with the key ${pk}`)
      record.used.add(grant.name)
    }
  }
}

/** Functions send, and put off failed messages of their own queue. The poller does all else. */
export function checkQueueCalls(
  name: string,
  { sends, consumes }: Pick<FunctionDeclaration, 'sends' | 'consumes'>,
  record: AccessRecord,
): CheckCall {
  const grantName = (queue: string) => `${name}: sends ${queue}`
  for (const queue of sends) record.granted.add(grantName(queue))
  return (operation, input) => {
    const queue = queueNameIn('QueueUrl' in input ? String(input.QueueUrl) : '') ?? ''
    if (operation === 'ChangeMessageVisibilityBatch' && queue === consumes) return
    const isAllowed = operation === 'SendMessageBatch' && sends.some(declared => declared === queue)
    if (!isAllowed) throw denial(record, name, `sqs:${operation}`, `the queue ${queue}`)
    record.used.add(grantName(queue))
  }
}

/** In this order they count as used: a record that is written may be checked without being read. */
const DECLARATIONS = ['writes', 'puts', 'updates', 'reads'] as const

/** Each with a name, such as `public: reads POST`. */
function grantsOf(name: string, access: Access): Grant[] {
  return DECLARATIONS.flatMap(declaration =>
    access[declaration].map(kind => ({
      declaration,
      allows: matcherOf(kind),
      name: `${name}: ${declaration} ${kind}`,
    })),
  )
}

/** In a pattern of IAM, `*` stands for any characters. */
function matcherOf(kind: RecordKind): (pk: string) => boolean {
  const patterns = partitionsOf(kind).map(pattern => pattern.split('*'))
  return pk => patterns.some(([start = '', end]) => (end === undefined ? pk === start : pk.startsWith(start)))
}

type Attributes = Record<string, AttributeValue>
type ItemInput = { Key?: Attributes; Item?: Attributes; ExpressionAttributeValues?: Attributes }
type Write = { PutRequest?: ItemInput; DeleteRequest?: ItemInput }
type TableInput = ItemInput & {
  TransactItems?: Record<string, ItemInput>[]
  RequestItems?: Record<string, { Keys?: Attributes[] } | Write[]>
}

/** The actions of a call on single items, as IAM counts them, and their partitions. */
function touched(operation: string, input: TableInput): { action: string; pk: string }[] {
  const { TransactItems, RequestItems } = input
  if (TransactItems) {
    return TransactItems.flatMap(item =>
      Object.entries(item).map(([kind, of]) => touch(IN_TRANSACTION[kind] ?? kind, of)),
    )
  }
  if (!RequestItems) return [touch(operation, input)]
  return Object.values(RequestItems).flatMap(asked =>
    Array.isArray(asked)
      ? asked.map(({ PutRequest, DeleteRequest = {} }) =>
          PutRequest ? touch('PutItem', PutRequest) : touch('DeleteItem', DeleteRequest),
        )
      : (asked.Keys ?? []).map(Key => touch('GetItem', { Key })),
  )
}

/** A query names its partition as `pk = :pk`. */
function touch(action: string, { Key, Item, ExpressionAttributeValues }: ItemInput) {
  const pk = (Key ?? Item)?.pk ?? ExpressionAttributeValues?.[':pk']
  return { action, pk: String(pk?.S) }
}

function denial(record: AccessRecord, name: string, action: string, resource: string): Error {
  const user = `arn:aws:sts::${ACCOUNT_ID}:assumed-role/${name}`
  const message = `User: ${user} is not authorized to perform: ${action} on resource: ${resource}, because shared/service/ does not declare it`
  record.denied.push(message)
  return new AwsError('AccessDeniedException', 400, { message })
}
