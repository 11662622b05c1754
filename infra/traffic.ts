// The alias of each function that answers requests: it moves to a new version, a part of the requests first.
import { Aws, Fn } from 'aws-cdk-lib'
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Alias, CfnVersion, type Function as Lambda } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { ALARMS } from '../shared/service/alarms.ts'
import { acknowledge } from './acknowledge.ts'
import { ALIAS } from './names.ts'
import type { Parameters } from './parameters.ts'
import type { Traffic } from './settings.ts'
import { allowInvocation } from './tiers.ts'

const GRADUAL: Record<Exclude<Traffic, 'at-once'>, ILambdaDeploymentConfig> = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  linear: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
}

const POLICY = 'service-role/AWSCodeDeployRoleForLambdaLimited'

export type Aliases = Record<string, Alias>

/** Every stage has them, so that another value of `traffic` changes no address of the API. */
export function createAliases(
  api: SpecRestApi,
  functions: Record<string, Lambda>,
  parameters: Parameters,
): Aliases {
  const aliases: Aliases = {}
  for (const [name, handler] of Object.entries(functions)) {
    describeVersion(handler, parameters)
    const alias = new Alias(handler, 'live', { aliasName: ALIAS, version: handler.currentVersion })
    allowInvocation(api, alias, '*/*/*')
    // The document names aliases, so the gateway must not follow it before they and their permission exist.
    api.latestDeployment?.node.addDependency(alias)
    aliases[name] = alias
  }
  return aliases
}

/**
 * A version is a copy of the function, also of its environment. The CDK makes a new one with each change of
 * the template; a parameter changes without one, but another description also makes a new version.
 */
function describeVersion(handler: Lambda, parameters: Parameters): void {
  const version = handler.currentVersion.node.defaultChild
  if (!(version instanceof CfnVersion)) throw new Error('The version of a function has no resource.')
  // Lambda takes 256 characters, and the template bounds each parameter.
  version.description = Fn.join(
    ' ',
    Object.values(parameters).map(({ valueAsString }) => valueAsString),
  )
}

/** @param alarms by id. Those that are declared to do so end a deployment, and give all requests back. */
export function shiftGradually(
  scope: Construct,
  aliases: Aliases,
  traffic: Traffic,
  alarms: Record<string, Alarm>,
): void {
  if (traffic === 'at-once') return
  // One application and one role for all groups.
  const application = new LambdaApplication(scope, 'Releases', { applicationName: Aws.STACK_NAME })
  const role = new Role(scope, 'releases-role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(POLICY)],
  })
  acknowledge(
    role,
    `IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${POLICY}]`,
    'CodeDeploy names this policy for Lambda: it moves aliases and reads alarms; only CodeDeploy may assume the role.',
  )
  for (const [name, alias] of Object.entries(aliases)) {
    new LambdaDeploymentGroup(scope, `${name}-release`, {
      application,
      deploymentGroupName: name,
      role: role.withoutPolicyUpdates(),
      alias,
      deploymentConfig: GRADUAL[traffic],
      alarms: ALARMS.flatMap(({ id, rollsBack }) => (rollsBack && alarms[id]) || []),
      autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
    })
  }
}
