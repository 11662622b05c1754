// Who may do what by the template, and what of it was needed or denied while the service ran.

import { parseEndpoint } from '../door/endpoint.ts'
import { partitionKeysOf } from '../dynamodb/tables.ts'
import type { Emulators } from '../emulators.ts'
import { type ResolverValues, resolver, type Template } from '../template/template.ts'
import { tablesOf } from '../template/values.ts'
import type { FunctionAccess } from './connections.ts'
import { type AccessNote, createEvaluator, grantedBy } from './evaluate.ts'
import { statementsOf } from './roles.ts'

export type Access = {
  /** By its logical id. */
  of(functionId: string): FunctionAccess
  note(note: AccessNote): void
  /** The names of all permissions, and of those that let a call through. */
  granted: ReadonlySet<string>
  used: ReadonlySet<string>
  denied: readonly string[]
}

const CONSUMER_ACTIONS = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes']

/** Throws when a queue feeds a function that may not take from it. */
export function openAccess(template: Template, values: ResolverValues, emulators: Emulators): Access {
  const resolve = resolver(template, values)
  const partitionKeys = partitionKeysOf(tablesOf(template), resolve, values.refs)
  const { dynamodb, sqs, ses } = emulators
  const portOf = ({ endpoint }: { endpoint: string }) => parseEndpoint(endpoint).port
  const ports = { dynamodb: portOf(dynamodb), sqs: portOf(sqs), ses: portOf(ses) }
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
  // Queues are read in the names of the functions that they feed, which AWS looks at when it makes a mapping.
  for (const { properties } of template.resourcesOf('AWS::Lambda::EventSourceMapping')) {
    const [functionId = ''] = template.referencesIn(properties.FunctionName, 'AWS::Lambda::Function')
    const resource = String(resolve(properties.EventSourceArn))
    const requests = CONSUMER_ACTIONS.map(action => ({ action: `sqs:${action}`, resource, context: {} }))
    const problem = createEvaluator(functionId, statements.get(functionId) ?? [], note)(requests)
    if (problem) throw new Error(problem)
  }
  return {
    of: functionId => ({ statements: statements.get(functionId) ?? [], partitionKeys, ports }),
    note,
    granted: new Set([...statements].flatMap(([id, own]) => grantedBy(id, own))),
    used,
    denied,
  }
}
