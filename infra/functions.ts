// Creates a Lambda function with its bundle, its own role, its log group and its environment.
import { Aws, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  type FunctionOptions,
  Function as Lambda,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { QUEUES, type QueueName } from '../shared/events/message.ts'
import { SECRET_VARIABLES } from '../shared/runtime/parameters.ts'
import type { FunctionNeeds } from '../shared/service/needs.ts'
import { tableStatements } from './access.ts'
import { acknowledge } from './acknowledge.ts'
import type { Keys } from './keys.ts'
import type { Mailing } from './mail.ts'
import type { Queues } from './queues.ts'

/** What every function takes from its stage. */
export type PlainContext = {
  bundleFolder: (name: string) => string
  /** With traces of AWS X-Ray. */
  isTraced: boolean
}

/** The parts of the stack that functions need. */
export type StackContext = PlainContext & {
  table: ITableV2
  queues: Queues
  keys: Keys
  /** Undefined in a stage that sends no mail. */
  mailing: Mailing | undefined
  /** Variables that every function of the service reads. */
  environment: Record<string, string>
}

type PlainFunction = Pick<FunctionNeeds, 'memoryMb' | 'timeoutSeconds'> & {
  environment: Record<string, string>
  statements: PolicyStatement[]
  /** Reasons for what cdk-nag finds in these statements, by its rule. */
  findings?: Record<string, string>
  functionOptions?: FunctionOptions
}

/** Routes name a function: a reference would be a circle, as functions refer to the API's address. */
export function functionNameOf(name: string): string {
  return Fn.join('-', [Aws.STACK_NAME, name])
}

/** An exact name, so that the runbook's commands find it. Logs end with their stack, which frees the name. */
export function logGroupNameOf(name: string): string {
  return Fn.join('/', [Aws.STACK_NAME, name])
}

const WRITE_TRACES = new PolicyStatement({
  actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
  resources: ['*'],
})

/** Writes only to the log group that the stack creates. */
function writeLogs(logGroup: LogGroup): PolicyStatement {
  return new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  })
}

/** @param name the file in functions/, and the id in the stack. */
export function createPlainFunction(
  scope: Construct,
  name: string,
  { memoryMb, timeoutSeconds, environment, statements, findings = {}, functionOptions }: PlainFunction,
  { bundleFolder, isTraced }: PlainContext,
): Lambda {
  const logGroup = new LogGroup(scope, `${name}-log`, {
    logGroupName: logGroupNameOf(name),
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  })
  const traces = isTraced ? [WRITE_TRACES] : []
  const access = new PolicyDocument({ statements: [writeLogs(logGroup), ...traces, ...statements] })
  const role = new Role(scope, `${name}-role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    // In the role itself, since a policy would be one more resource for each function.
    inlinePolicies: { access },
  })
  for (const [rule, reason] of Object.entries(findings)) acknowledge(role, rule, reason)
  if (isTraced) {
    acknowledge(role, 'IAM5[Resource::*]', 'Traces of X-Ray have no resource that a role can name.')
  }
  return new Lambda(scope, name, {
    functionName: functionNameOf(name),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(bundleFolder(name)),
    handler: 'index.handler',
    memorySize: memoryMb,
    timeout: Duration.seconds(timeoutSeconds),
    // The CDK would add policies of its own, for example for the queue of a worker.
    role: role.withoutPolicyUpdates(),
    logGroup,
    // Without the lines of Lambda itself, a quarter of the log. LOG_LEVEL decides about the function's own.
    loggingFormat: LoggingFormat.JSON,
    systemLogLevelV2: SystemLogLevel.WARN,
    applicationLogLevelV2: ApplicationLogLevel.TRACE,
    environment,
    tracing: isTraced ? Tracing.ACTIVE : undefined,
    ...functionOptions,
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

/** Creates a function that can reach only what shared/service/ declares for it. */
export function createFunction(
  scope: Construct,
  name: string,
  needs: FunctionNeeds & { consumes?: QueueName },
  context: StackContext,
  functionOptions?: FunctionOptions,
): Lambda {
  const { table, queues, keys, mailing } = context
  const { sends, consumes } = needs
  const consumed = consumes ? [consumes] : []
  const environment: Record<string, string> = { ...context.environment, TABLE_NAME: table.tableName }
  // Only the id: the function reads the secret at its start, and after a rotation of its keys.
  for (const name of needs.secrets) environment[`${SECRET_VARIABLES[name]}_SECRET`] = keys[name].secretArn
  for (const queue of [...sends, ...consumed]) {
    environment[QUEUES[queue].urlVariable] = queues[queue].queueUrl
  }

  const statements = tableStatements(table, needs)
  const allow = (actions: string[], resources: string[]) => {
    if (resources.length > 0) statements.push(new PolicyStatement({ actions, resources }))
  }
  const arnsOf = (names: QueueName[]) => names.map(queue => queues[queue].queueArn)
  allow(['sqs:SendMessage'], arnsOf(sends))
  allow(CONSUME, arnsOf(consumed))
  allow(
    ['secretsmanager:GetSecretValue'],
    needs.secrets.map(name => keys[name].secretArn),
  )
  const own = { ...needs, environment, statements, functionOptions }
  if (!needs.sendsMail || !mailing) return createPlainFunction(scope, name, own, context)

  return createPlainFunction(
    scope,
    name,
    {
      ...own,
      environment: { ...environment, ...mailing.environment },
      statements: [...statements, mailing.statement],
      findings: mailing.findings,
    },
    context,
  )
}
