// Creates a Lambda function with its bundle, its own role, its log group and its environment; and the workers
// of queues and schedules, which run without a request.
import { Aws, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  type FunctionOptions,
  Function as Lambda,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { QUEUES, type QueueName } from '../shared/events/message.ts'
import { SECRET_VARIABLES } from '../shared/runtime/parameters.ts'
import { type Access, type FunctionDeclaration, partitionsOf } from '../shared/service/permissions.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../shared/service/workers.ts'
import type { createMailing } from './mail.ts'
import type { Queues } from './queues.ts'
import type { Keys } from './table.ts'

/** What functions take from their stage. */
export type StackContext = {
  bundleFolder: (name: string) => string
  table: ITableV2
  queues: Queues
  keys: Keys
  /** Undefined in a stage that sends no mail. */
  mailing: ReturnType<typeof createMailing>
  /** Variables that every function of the service reads. */
  environment: Record<string, string>
}

export function functionNameOf(name: string): string {
  return Fn.sub(`\${AWS::StackName}-${name}`)
}

/**
 * The address at which API Gateway invokes a function or its alias: by name, as a reference would be a
 * circle. The variables of functions contain the address of the API.
 */
export function invocationOf(name: string, alias?: string): string {
  const gateway = `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions`
  const account = `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}`
  const version = alias === undefined ? '' : `:${alias}`
  return Fn.sub(`${gateway}/${account}:function:\${AWS::StackName}-${name}${version}/invocations`)
}

/** An exact name, so that the runbook's commands find it. Logs end with their stack, which frees the name. */
export function createLog(scope: Construct, id: string, name: string): LogGroup {
  return new LogGroup(scope, id, {
    logGroupName: Fn.join('/', [Aws.STACK_NAME, name]),
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  })
}

function allow(actions: string[], resources: string[]): PolicyStatement[] {
  return resources.length > 0 ? [new PolicyStatement({ actions, resources })] : []
}

/**
 * Creates a function that may write its log, and what `statements` allow.
 * @param name the file in functions/, and the id in the stack.
 */
export function createPlainFunction(
  scope: Construct,
  name: string,
  { bundleFolder }: StackContext,
  options: FunctionOptions,
  statements: PolicyStatement[] = [],
): Lambda {
  const logGroup = createLog(scope, `${name}-log`, name)
  // Only to the log group that the stack creates.
  const logs = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn])
  const role = new Role(scope, `${name}-role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    // In the role itself, since a policy would be one more resource for each function.
    inlinePolicies: { access: new PolicyDocument({ statements: [...logs, ...statements] }) },
  })
  return new Lambda(scope, name, {
    functionName: functionNameOf(name),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(bundleFolder(name)),
    handler: 'index.handler',
    // The CDK would add policies of its own, for example for the queue of a worker.
    role: role.withoutPolicyUpdates(),
    logGroup,
    // Without the lines of Lambda itself, a quarter of the log. LOG_LEVEL decides about the function's own.
    loggingFormat: LoggingFormat.JSON,
    systemLogLevelV2: SystemLogLevel.WARN,
    applicationLogLevelV2: ApplicationLogLevel.TRACE,
    ...options,
  })
}

/** What a queue's worker does with its messages. */
const CONSUME = [
  'sqs:ReceiveMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueUrl',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
]

/** Creates a function that may use only what shared/service/ declares for it. */
export function createFunction(
  scope: Construct,
  name: string,
  declared: FunctionDeclaration,
  context: StackContext,
  more: FunctionOptions = {},
): Lambda {
  const { table, queues, keys } = context
  const mailing = declared.sendsMail ? context.mailing : undefined
  const consumed = declared.consumes ? [declared.consumes] : []
  const urls = [...declared.sends, ...consumed].map(queue => [
    QUEUES[queue].urlVariable,
    queues[queue].queueUrl,
  ])
  // Only the id: the function reads the secret at its start, and after a rotation of its keys.
  const secrets = declared.secrets.map(secret => [
    `${SECRET_VARIABLES[secret]}_SECRET`,
    keys[secret].secretArn,
  ])
  const arnsOf = (names: QueueName[]) => names.map(queue => queues[queue].queueArn)
  const environment = {
    ...context.environment,
    TABLE_NAME: table.tableName,
    ...Object.fromEntries([...secrets, ...urls]),
    ...mailing?.environment,
  }
  const statements = [
    ...tableStatements(table, declared),
    ...allow(['sqs:SendMessage'], arnsOf(declared.sends)),
    ...allow(CONSUME, arnsOf(consumed)),
    ...allow(
      ['secretsmanager:GetSecretValue'],
      declared.secrets.map(secret => keys[secret].secretArn),
    ),
    ...(mailing ? [mailing.statement] : []),
  ]
  const size = { memorySize: declared.memoryMb, timeout: Duration.seconds(declared.timeoutSeconds) }
  return createPlainFunction(scope, name, context, { ...size, environment, ...more }, statements)
}

/** The actions of each kind of access. IAM has none for a transaction: it checks the actions in it. */
const ACTIONS: [kind: keyof Access, actions: string[]][] = [
  ['reads', ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem']],
  ['writes', ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'ConditionCheckItem']],
  ['puts', ['PutItem']],
  ['updates', ['UpdateItem']],
]

/** A statement for each declared kind of access: named actions on named kinds of records. */
function tableStatements(table: ITableV2, access: Access): PolicyStatement[] {
  return ACTIONS.filter(([kind]) => access[kind].length > 0).map(
    ([kind, actions]) =>
      new PolicyStatement({
        actions: actions.map(action => `dynamodb:${action}`),
        resources: [table.tableArn],
        // `ForAllValues` also holds for a request without keys, so `Null` requires them.
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': access[kind].flatMap(partitionsOf) },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
  )
}

export function createWorkers(scope: Construct, context: StackContext, maxConcurrency: number): void {
  for (const [name, worker] of Object.entries(QUEUE_WORKERS)) {
    // A worker may send itself its next step; Lambda would stop it after 16 as an endless loop.
    const isInSteps = worker.sends.includes(worker.consumes)
    const recursiveLoop = isInSteps ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE
    const handler = createFunction(scope, name, worker, context, { recursiveLoop })
    const source = new SqsEventSource(context.queues[worker.consumes], {
      batchSize: worker.batchSize,
      maxConcurrency: Math.min(worker.maxConcurrency, maxConcurrency),
      reportBatchItemFailures: true,
    })
    handler.addEventSource(source)
  }
  for (const [name, worker] of Object.entries(SCHEDULED_WORKERS)) {
    const period = Duration.minutes(worker.everyMinutes)
    // A failed or late run is not retried: the next run does its work.
    const once = { maxEventAge: period, retryAttempts: 0 }
    const handler = createFunction(scope, name, worker, context, once)
    const rule = new Rule(scope, `${name}-clock`, { schedule: Schedule.rate(period) })
    rule.addTarget(new LambdaFunction(handler, once))
  }
}
