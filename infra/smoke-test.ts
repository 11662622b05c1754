// Adds the smoke test: a custom resource that is updated last. If it fails, the stack is rolled back.
import { createHash } from 'node:crypto'
import { Aws, CfnElement, CfnResource, CustomResource, Duration, Lazy, type Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { IConstruct } from 'constructs'
import type * as z from 'zod/mini'
import { type Endpoint, isBodyOptional, namesIn } from '../shared/http/endpoint.ts'
import { API_FUNCTIONS, DOCUMENT } from '../shared/service/api.ts'
import type { SmokeTestProperties } from '../shared/smoke/properties.ts'
import { createPlainFunction, type StackContext } from './functions.ts'
import type { Parameters } from './parameters.ts'

/** A bad release fails within 70 seconds, a good one passes within a few. */
const TIMES = { LimitSeconds: 8, PausesSeconds: [2, 4, 8, 16] }
/** Longer than all attempts together, the question for the stack's status and the answer. */
const FUNCTION_SECONDS = 100
/** After this time CloudFormation takes a missing answer for a failure. By default it waits for an hour. */
const SERVICE_SECONDS = 120

type Tested = {
  context: StackContext
  /** The functions that answer requests. */
  functions: Record<string, Lambda>
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
    Requests: Object.entries(functions).map(([name, { logGroup }]) => ({
      Function: name,
      ...harmlessRequest(name),
      LogGroup: logGroup.logGroupName,
    })),
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

/** How much of the service a request without a token uses, the most first, as long as it changes nothing. */
const HARMLESS: ((endpoint: Endpoint) => boolean)[] = [
  ({ method, ability, params }) => method === 'GET' && ability === null && namesIn(params).length === 0,
  ({ method, ability }) => method === 'GET' && ability === null,
  ({ method, params }) => method === 'GET' && namesIn(params).length === 0,
  ({ ability }) => ability !== null,
  // Without its body, the request is refused with 422.
  endpoint => endpoint.body !== null && !isBodyOptional(endpoint),
]

/** @param name of a function that answers requests. */
function harmlessRequest(name: string): { Method: string; Path: string } {
  if (name === DOCUMENT.name) return { Method: 'GET', Path: DOCUMENT.path }
  const endpoints = Object.values(API_FUNCTIONS[name]?.endpoints ?? {})
  const [endpoint] = HARMLESS.flatMap(isHarmless => endpoints.filter(isHarmless))
  if (!endpoint) {
    throw new Error(
      `The smoke test has no harmless request for ${name}. Add a rule to HARMLESS in infra/smoke-test.ts.`,
    )
  }
  return { Method: endpoint.method, Path: endpoint.path.replaceAll(/\{\w+\}/g, '1') }
}
