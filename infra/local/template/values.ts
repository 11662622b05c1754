// Creates tables and queues, and provides the values for Ref, GetAtt and {{resolve:…}} on this machine.
import { ACCOUNT_ID, arn, REGION } from '../account.ts'
import { createTables } from '../dynamodb/tables.ts'
import type { Emulators } from '../emulators.ts'
import { createQueues, queueRefs } from '../queues/queues.ts'
import type { Secrets } from '../secrets.ts'
import type { Resolve } from './resolver.ts'
import { type ResolverValues, resolver, type Template } from './template.ts'

/** Creates tables and queues, and returns the values of all references. */
export async function createResources(
  template: Template,
  { dynamodb, sqs }: Emulators,
  { stackId, values: secretValues }: Secrets,
  parameters: Record<string, string>,
): Promise<ResolverValues> {
  const queues = template.resourcesOf('AWS::SQS::Queue')
  const values: ResolverValues = {
    parameters,
    refs: new Map([...namedRefs(template), ...queueRefs(queues, sqs)]),
    pseudo: pseudoParameters(template.stackName, stackId),
    secret: id => {
      const value = secretValues[id]
      if (value === undefined) throw new Error(`The template has no secret ${id}.`)
      return value
    },
  }
  const resolve = resolver(template, values)
  const [tables] = await Promise.all([
    createTables({
      resources: tablesOf(template),
      resolve,
      endpoint: dynamodb.endpoint,
      // Several states can share one database (DYNAMODB_ENDPOINT), and a reset state needs new tables.
      suffix: stackId.slice(0, 8),
    }),
    createQueues({ resources: queues, resolve, sqs }),
  ])
  for (const [id, ref] of tables) values.refs.set(id, ref)
  return values
}

export function tablesOf(template: Template) {
  return ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'].flatMap(template.resourcesOf)
}

/** The resolved outputs of the stack, by name. */
export function outputsOf(template: Template, resolve: Resolve): Record<string, string> {
  return Object.fromEntries(
    Object.entries(template.outputs).map(([name, value]) => [name, String(resolve(value))]),
  )
}

function pseudoParameters(stackName: string, stackId: string): Record<string, string> {
  return {
    'AWS::AccountId': ACCOUNT_ID,
    'AWS::Partition': 'aws',
    'AWS::Region': REGION,
    'AWS::StackId': arn('cloudformation', `stack/${stackName}/${stackId}`),
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  }
}

/** References to functions, the REST API, its stage, SES and topics, which are known before these start. */
function namedRefs(template: Template): ResolverValues['refs'] {
  const refs: ResolverValues['refs'] = new Map()
  for (const { id } of template.resourcesOf('AWS::Lambda::Function')) {
    refs.set(id, { ref: id, attributes: { Arn: arn('lambda', `function:${id}`) } })
  }
  for (const { id } of template.resourcesOf('AWS::ApiGateway::RestApi')) {
    refs.set(id, { ref: id, attributes: { RestApiId: id, RootResourceId: 'root' } })
  }
  for (const { id } of template.resourcesOf('AWS::SES::ConfigurationSet')) {
    refs.set(id, { ref: id, attributes: {} })
  }
  for (const { id } of template.resourcesOf('AWS::SNS::Topic')) {
    refs.set(id, { ref: arn('sns', id), attributes: {} })
  }
  for (const { id, properties } of template.resourcesOf('AWS::ApiGateway::Stage')) {
    refs.set(id, { ref: String(properties.StageName), attributes: {} })
  }
  return refs
}
