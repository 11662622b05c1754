// Adds the smoke test: a custom resource that is updated last. If it fails, the stack is rolled back.
import { createHash } from 'node:crypto'
import { Aws, CfnElement, CfnResource, CustomResource, Duration, Lazy, type Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { IConstruct } from 'constructs'
import type * as z from 'zod/mini'
import type { SmokeTestProperties } from '../shared/smoke/properties.ts'
import { createPlainFunction, type StackContext } from './functions.ts'
import type { Parameters } from './parameters.ts'
import { harmlessRequest } from './smoke-requests.ts'

/** A bad release fails within 70 seconds, a good one passes within a few. */
const TIMES = { LimitSeconds: 8, PausesSeconds: [2, 4, 8, 16] }
/** Longer than all attempts together, the question for the stack's status and the answer. */
const FUNCTION_SECONDS = 100
/** After this time CloudFormation takes a missing answer for a failure. By default it waits for an hour. */
const SERVICE_SECONDS = 120

type Functions = Record<string, Lambda>
type Tested = {
  context: StackContext
  /** The functions that answer requests. */
  functions: Functions
  accessLog: LogGroup
  baseUrl: string
  domainTarget: string | undefined
  parameters: Parameters
}

export function addSmokeTest(stack: Stack, tested: Tested): void {
  const { context, functions, accessLog, baseUrl, domainTarget, parameters } = tested
  const handler = createPlainFunction(
    stack,
    'smoke-test',
    {
      memoryMb: 256,
      timeoutSeconds: FUNCTION_SECONDS,
      environment: {},
      // The status says whether the stack is being rolled back.
      statements: [
        new PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: [Aws.STACK_ID] }),
      ],
    },
    context,
  )
  const properties: z.input<typeof SmokeTestProperties> = {
    BaseUrl: baseUrl,
    ConnectTo: domainTarget,
    AccessLogGroup: accessLog.logGroupName,
    Requests: Object.keys(functions).map(name => withLogGroup(functions, harmlessRequest(name))),
    ...TIMES,
  }
  const test: CustomResource = new CustomResource(stack, 'SmokeTest', {
    resourceType: 'Custom::SmokeTest',
    serviceToken: handler.functionArn,
    serviceTimeout: Duration.seconds(SERVICE_SECONDS),
    properties: {
      ...properties,
      // CloudFormation updates the resource, and so runs the test, only if a property changes.
      Release: Lazy.uncachedString({ produce: () => hashWithout(stack, test) }),
      Parameters: Object.values(parameters).map(({ valueAsString }) => valueAsString),
    },
  })
  test.node.addDependency(...stack.node.children.filter(child => child !== test && !isConditional(child)))
}

function withLogGroup<Named extends { Function: string }>(functions: Functions, named: Named) {
  const handler = functions[named.Function]
  if (!handler) throw new Error(`The stack has no function ${named.Function}.`)
  return { ...named, LogGroup: handler.logGroup.logGroupName }
}

/** A resource cannot depend on another that may not exist. */
function isConditional({ node }: IConstruct): boolean {
  return node.findAll().some(child => CfnResource.isCfnResource(child) && child.cfnOptions.condition)
}

/** Hashes everything in the template, but for one resource. */
function hashWithout(stack: Stack, excluded: CustomResource): string {
  const elements = stack.node
    .findAll()
    .filter(CfnElement.isCfnElement)
    .filter(element => element !== excluded.node.defaultChild)
    .map(element => stack.resolve(element._toCloudFormation()))
  return createHash('sha256').update(JSON.stringify(elements)).digest('hex')
}
