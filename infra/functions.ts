// Creates a Lambda function with its bundle, its own role, its log group and its environment.
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, type FunctionOptions, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { QUEUES, type QueueName } from '../shared/events/message.ts'
import type { ApiFunction } from '../shared/service/api.ts'
import type { Secret } from '../shared/service/needs.ts'
import { tableStatements } from './access.ts'
import type { Keys } from './keys.ts'
import type { Mailing } from './mail.ts'
import type { Queues } from './queues.ts'

type Needs = Omit<ApiFunction, 'endpoints'>

/** The parts of the stack that functions need. */
export type StackContext = {
  bundleFolder: (name: string) => string
  isDisposable: boolean
  table: TableV2
  queues: Queues
  keys: Keys
  mailing: Mailing
  /** Variables that every function of the service reads. */
  environment: Record<string, string>
}

type PlainFunction = Pick<Needs, 'memoryMb' | 'timeoutSeconds'> & {
  environment: Record<string, string>
  statements: PolicyStatement[]
  functionOptions?: FunctionOptions
}

/** @param name the file in functions/, and the id in the stack. */
export function createPlainFunction(
  scope: Construct,
  name: string,
  { memoryMb, timeoutSeconds, environment, statements, functionOptions }: PlainFunction,
  { bundleFolder, isDisposable }: Pick<StackContext, 'bundleFolder' | 'isDisposable'>,
): Lambda {
  const logGroup = new LogGroup(scope, `${name}-log`, {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: isDisposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  })
  const role = new Role(scope, `${name}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  logGroup.grantWrite(role)
  for (const statement of statements) role.addToPolicy(statement)
  return new Lambda(scope, name, {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(bundleFolder(name)),
    handler: 'index.handler',
    memorySize: memoryMb,
    timeout: Duration.seconds(timeoutSeconds),
    role,
    logGroup,
    environment,
    ...functionOptions,
  })
}

const KEY_VARIABLE: Record<Secret, string> = {
  ClientKey: 'CLIENT_KEY',
  LinkKey: 'LINK_KEY',
  WebhookKey: 'WEBHOOK_KEY',
}

/** Creates a function that can reach only what shared/service/ declares for it. */
export function createFunction(
  scope: Construct,
  name: string,
  needs: Needs,
  context: StackContext,
  functionOptions?: FunctionOptions,
): Lambda {
  const { table, queues, keys, mailing } = context
  const environment: Record<string, string> = { ...context.environment, TABLE_NAME: table.tableName }
  // A dynamic reference: the key is not in the template and need not be fetched at a cold start.
  for (const key of needs.secrets) environment[KEY_VARIABLE[key]] = keys[key].secretValue.unsafeUnwrap()
  const { sends, inspects = [] } = needs
  for (const queue of [...sends, ...inspects]) environment[QUEUES[queue].urlVariable] = queues[queue].queueUrl

  const statements = tableStatements(table, needs)
  const allow = (action: string, names: QueueName[]) => {
    const resources = names.map(queue => queues[queue].queueArn)
    if (resources.length > 0) statements.push(new PolicyStatement({ actions: [action], resources }))
  }
  allow('sqs:SendMessage', sends)
  allow('sqs:GetQueueAttributes', inspects)
  const handler = createPlainFunction(
    scope,
    name,
    { ...needs, environment, statements, functionOptions },
    context,
  )
  if (needs.sendsMail) mailing.allowSending(handler)
  return handler
}
