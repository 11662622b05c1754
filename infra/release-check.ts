// Adds the check of a release: a custom resource that is updated last. If it fails, the stack is rolled back.
import { createHash } from 'node:crypto'
import { CfnElement, CustomResource, Duration, Lazy, type Stack } from 'aws-cdk-lib'
import type { Endpoint } from '../shared/http/endpoint.ts'
import { API_FUNCTIONS } from '../shared/service/api.ts'
import { createPlainFunction, type StackContext } from './functions.ts'
import type { Parameters } from './parameters.ts'

/** A bad release fails within 70 seconds, a good one passes within a few. */
const TIMES = { LimitSeconds: 8, PausesSeconds: [2, 4, 8, 16] }

/** Without a token, the lowest rank reads; one of the others is refused before it changes anything. */
function rank({ method, ability, path }: Endpoint): number {
  if (method === 'GET') return (ability === null ? 0 : 2) + (path.includes('{') ? 1 : 0)
  return ability === null ? 5 : 4
}

/** One of each function that answers requests. */
export function requestsOf(functions = API_FUNCTIONS) {
  return Object.entries(functions).map(([name, { endpoints }]) => {
    const [endpoint] = Object.values(endpoints).toSorted((a, b) => rank(a) - rank(b))
    if (!endpoint) throw new Error(`The function ${name} has no endpoint.`)
    return { Function: name, Method: endpoint.method, Path: endpoint.path.replaceAll(/\{\w+\}/g, '1') }
  })
}

type Checked = { BaseUrl: string; ConnectTo: string | undefined; parameters: Parameters }

export function addReleaseCheck(
  stack: Stack,
  context: StackContext,
  { parameters, ...address }: Checked,
): void {
  const needs = { memoryMb: 256, timeoutSeconds: 100, environment: {}, statements: [] }
  const handler = createPlainFunction(stack, 'check-release', needs, context)
  const check: CustomResource = new CustomResource(stack, 'ReleaseCheck', {
    resourceType: 'Custom::ReleaseCheck',
    serviceToken: handler.functionArn,
    // After an hour, by default, CloudFormation takes a missing answer for a failure.
    serviceTimeout: Duration.seconds(120),
    properties: {
      ...address,
      Requests: requestsOf(),
      ...TIMES,
      // CloudFormation updates the resource, and so runs the check, only if a property changes.
      Release: Lazy.uncachedString({ produce: () => hashWithout(stack, check) }),
      Parameters: Object.values(parameters).map(({ valueAsString }) => valueAsString),
    },
  })
  check.node.addDependency(...stack.node.children.filter(child => child !== check))
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
