// How a release goes live: aliases move to it, with a canary a tenth of the requests first; its check.
import { createHash } from 'node:crypto'
import { Aws, CfnElement, CustomResource, Duration, Fn, Lazy, type Stack } from 'aws-cdk-lib'
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Alias, CfnVersion } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { API_FUNCTIONS } from '../shared/service/api-functions.ts'
import { allowInvocation } from './api.ts'
import { createFunction, createPlainFunction, type StackContext } from './functions.ts'
import { ALIAS } from './names.ts'

/**
 * Every stage has aliases: one moves to a release in one step, and `traffic` changes no address of the API.
 * @param values those of all parameters, which change without a new template.
 */
export function createAliases(stack: Stack, api: SpecRestApi, context: StackContext, values: string[]) {
  return Object.entries(API_FUNCTIONS).map(([name, declared]) => {
    const handler = createFunction(stack, name, declared, context)
    const version = handler.currentVersion.node.defaultChild
    if (!(version instanceof CfnVersion)) throw new Error('The version of a function has no resource.')
    // A version copies the variables as well. The CDK makes a new one with each change of the template; a
    // parameter changes without one. Lambda takes 256 characters, and the template bounds each parameter.
    version.description = Fn.join(' ', values)
    const alias = new Alias(handler, 'live', { aliasName: ALIAS, version: handler.currentVersion })
    allowInvocation(api, alias, '*/*/*')
    // The document names aliases, so the gateway must not follow it before they and their permission exist.
    api.latestDeployment?.node.addDependency(alias)
    return { name, alias }
  })
}

/** @param alarms end a deployment, and give all requests back. */
export function shiftGradually(
  scope: Construct,
  aliases: ReturnType<typeof createAliases>,
  alarms: Alarm[],
): void {
  // One application and one role for all groups.
  const application = new LambdaApplication(scope, 'Releases', { applicationName: Aws.STACK_NAME })
  const policy = 'service-role/AWSCodeDeployRoleForLambdaLimited'
  const role = new Role(scope, 'releases-role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
  })
  for (const { name, alias } of aliases) {
    new LambdaDeploymentGroup(scope, `${name}-release`, {
      application,
      deploymentGroupName: name,
      role: role.withoutPolicyUpdates(),
      alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms,
      autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
    })
  }
}

/** A bad release fails within 70 seconds, a good one passes within a few. */
const TIMES = { LimitSeconds: 8, PausesSeconds: [2, 4, 8, 16] }

/** One of each function that answers requests: a read, or what is refused without a token or a body. */
export function requestsOf() {
  return Object.entries(API_FUNCTIONS).flatMap(([name, { endpoints }]) => {
    const all = Object.values(endpoints)
    const read = all.find(({ method }) => method === 'GET')
    const asked = read ?? all.find(({ ability }) => ability !== null) ?? all[0]
    return asked ? { Function: name, Method: asked.method, Path: asked.path } : []
  })
}

type Address = { BaseUrl: string; ConnectTo: string | undefined }

/** A custom resource that is updated last. If it fails, the stack is rolled back. */
export function addReleaseCheck(stack: Stack, context: StackContext, address: Address, Parameters: string[]) {
  const size = { memorySize: 256, timeout: Duration.seconds(100) }
  const check: CustomResource = new CustomResource(stack, 'ReleaseCheck', {
    resourceType: 'Custom::ReleaseCheck',
    serviceToken: createPlainFunction(stack, 'check-release', context, size).functionArn,
    // After an hour, by default, CloudFormation takes a missing answer for a failure.
    serviceTimeout: Duration.seconds(120),
    properties: {
      ...address,
      Requests: requestsOf(),
      ...TIMES,
      // CloudFormation updates the resource, and so runs the check, only if a property changes.
      Release: Lazy.uncachedString({ produce: () => hashWithout(stack, check) }),
      Parameters,
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
