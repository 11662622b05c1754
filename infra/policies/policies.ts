// What a deployer, CloudFormation and an operator must be allowed, as the documents of IAM beside this file.
import { STACK_PREFIX } from '../names.ts'

type Statement = { Sid: string; Effect: 'Allow'; Action: string[]; Resource: string[] }
type Policy = { Version: '2012-10-17'; Statement: Statement[] }

const STACKS = `arn:aws:cloudformation:*:*:stack/${STACK_PREFIX}*`
const TABLES = `arn:aws:dynamodb:*:*:table/${STACK_PREFIX}*`
const QUEUES = `arn:aws:sqs:*:*:${STACK_PREFIX}*`

function allow(Sid: string, Action: string[], Resource: string[] = ['*']): Statement {
  return { Sid, Effect: 'Allow', Action, Resource }
}

function policy(...Statement: Statement[]): Policy {
  return { Version: '2012-10-17', Statement }
}

/** CloudFormation works with a role of its own, that `cdk bootstrap` makes. */
export const DEPLOYER = policy(
  allow('UseTheRolesOfCdk', ['sts:AssumeRole'], ['arn:aws:iam::*:role/cdk-*']),
  allow('LookAtTheAccount', ['lambda:GetAccountSettings']),
  allow('LookAtTheGateway', ['apigateway:GET'], ['arn:aws:apigateway:*::/account']),
  allow(
    'LookAtAndProtectTheStack',
    ['DescribeStacks', 'GetTemplate', 'UpdateTerminationProtection'].map(name => `cloudformation:${name}`),
    [STACKS],
  ),
  allow('ProtectTheTable', ['dynamodb:DescribeTable', 'dynamodb:UpdateTable'], [TABLES]),
)

/** Each with `--stage`. A restored table has the name that its command gives it. */
export const OPERATOR = policy(
  allow('FindTheStage', ['cloudformation:DescribeStacks', 'cloudformation:DescribeStackResources'], [STACKS]),
  allow(
    'UseTheTable',
    [
      ...['GetItem', 'BatchGetItem', 'Query', 'Scan', 'ConditionCheckItem'],
      ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'DescribeTable'],
    ].map(name => `dynamodb:${name}`),
    [TABLES],
  ),
  allow(
    'RestoreTheTable',
    [
      ...['RestoreTableToPointInTime', 'DescribeContinuousBackups', 'UpdateContinuousBackups', 'UpdateTable'],
      ...['DescribeTimeToLive', 'UpdateTimeToLive', 'ListTagsOfResource', 'TagResource'],
    ].map(name => `dynamodb:${name}`),
    [TABLES],
  ),
  allow(
    'SendMessagesAgain',
    [...['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility']].map(
      name => `sqs:${name}`,
    ),
    [QUEUES],
  ),
  allow(
    'RotateKeys',
    ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
    ['arn:aws:secretsmanager:*:*:secret:*Key*'],
  ),
  allow('AllowAddressesAgainAndVerify', ['ses:DeleteSuppressedDestination', 'ses:GetAccount']),
)

/** What CloudFormation may make and delete: by the prefix of names where a service has them. */
const SERVICES: Record<string, string[]> = {
  ApiGateway: ['arn:aws:apigateway:*::/*'],
  Backup: ['*'],
  Budgets: ['*'],
  CloudWatch: ['*'],
  CodeDeploy: ['*'],
  DynamoDB: [TABLES],
  Events: [`arn:aws:events:*:*:rule/${STACK_PREFIX}*`],
  IAM: [`arn:aws:iam::*:role/${STACK_PREFIX}*`],
  KMS: ['*'],
  Lambda: [`arn:aws:lambda:*:*:function:${STACK_PREFIX}*`, 'arn:aws:lambda:*:*:event-source-mapping:*'],
  Logs: ['*'],
  SES: ['*'],
  SNS: [`arn:aws:sns:*:*:${STACK_PREFIX}*`],
  SQS: [QUEUES],
  SecretsManager: ['arn:aws:secretsmanager:*:*:secret:*Key*'],
  WAFv2: ['*'],
}

/** A service has the actions of its name in lower case, and some have more. */
const MORE_ACTIONS: Record<string, string[]> = { Backup: ['backup-storage:*'] }

/** @param types of the resources in the template of a stage with every value. */
export function cloudFormationPolicy(types: string[]): Policy {
  const services = new Set(types.flatMap(type => /^AWS::(\w+)::/.exec(type)?.[1] ?? []))
  services.delete('CDK')
  const statements = [...services].toSorted().map(service => {
    const resources = SERVICES[service]
    if (!resources) throw new Error(`infra/policies/policies.ts has no ${service}. Add it to SERVICES.`)
    const actions = [`${service.toLowerCase()}:*`, ...(MORE_ACTIONS[service] ?? [])]
    return allow(`Make${service}`, actions, resources)
  })
  return policy(
    ...statements,
    allow('ReadCode', ['s3:GetObject'], ['arn:aws:s3:::cdk-*']),
    allow('PollQueues', ['lambda:CreateEventSourceMapping', 'lambda:GetEventSourceMapping']),
    allow('ReadTheVersionOfCdk', ['ssm:GetParameters'], ['arn:aws:ssm:*:*:parameter/cdk-bootstrap/*']),
  )
}

export function textOf(document: Policy): string {
  return `${JSON.stringify(document, null, 2)}\n`
}
