// The permissions that the template gives to functions, and which of them were used or denied in this run.
import { parseEndpoint } from '../door/endpoint.ts'
import { partitionKeysOf } from '../dynamodb/tables.ts'
import type { Emulators } from '../emulators.ts'
import { type ResolverValues, resolver, type Template } from '../template/template.ts'
import { tablesOf } from '../template/values.ts'
import type { FunctionAccess } from './connections.ts'
import { type AccessNote, createEvaluator, grantedBy } from './evaluate.ts'
import { statementsOf } from './roles.ts'

export type Access = {
  /** The access of a function, by its logical id. */
  of(functionId: string): FunctionAccess
  note(note: AccessNote): void
  /** The names of all permissions. */
  granted: ReadonlySet<string>
  /** The names of the permissions that allowed a call. */
  used: ReadonlySet<string>
  denied: readonly string[]
}

const CONSUMER_ACTIONS = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes']

/** Throws if a function has no permission to receive from a queue that is mapped to it. */
export function openAccess(template: Template, values: ResolverValues, emulators: Emulators): Access {
  const resolve = resolver(template, values)
  const partitionKeys = partitionKeysOf(tablesOf(template), resolve, values.refs)
  const { dynamodb, sqs, ses, secretsManager } = emulators
  const portOf = ({ endpoint }: { endpoint: string }) => parseEndpoint(endpoint).port
  const ports = {
    dynamodb: portOf(dynamodb),
    sqs: portOf(sqs),
    ses: portOf(ses),
    secretsManager: portOf(secretsManager),
  }
  const functions = template.resourcesOf('AWS::Lambda::Function')
  const statements = new Map(
    functions.map(lambda => [lambda.id, statementsOf(lambda, template, resolve)] as const),
  )
  const used = new Set<string>()
  const denied: string[] = []
  const note = (note: AccessNote) => {
    if ('used' in note) {
      used.add(note.used)
    } else {
      denied.push(note.denied)
    }
  }
  // The pollers receive with the function's role. AWS checks this when it creates the mapping.
  for (const { properties } of template.resourcesOf('AWS::Lambda::EventSourceMapping')) {
    const [functionId = ''] = template.referencesIn(properties.FunctionName, 'AWS::Lambda::Function')
    const resource = String(resolve(properties.EventSourceArn))
    const requests = CONSUMER_ACTIONS.map(action => ({ action: `sqs:${action}`, resource, context: {} }))
    const denial = createEvaluator(functionId, statements.get(functionId) ?? [], note)(requests)
    if (denial) throw new Error(denial)
  }
  return {
    of: functionId => ({ statements: statements.get(functionId) ?? [], partitionKeys, ports }),
    note,
    granted: new Set([...statements].flatMap(([id, own]) => grantedBy(id, own))),
    used,
    denied,
  }
}
