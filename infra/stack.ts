// The service as one stack: parameters, table, keys, queues, API and functions.
import { Aws, CfnCondition, CfnOutput, CfnParameter, Fn, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { isoTime } from '../shared/http/time.ts'
import { PARAMETERS, type ParameterRule } from '../shared/runtime/parameters.ts'
import { createAlarms } from './alarms.ts'
import { addDomain, addShield, createApi, createAuthorizer, createUsagePlans, ownUrl } from './api.ts'
import { createBudget, createDashboard } from './dashboard.ts'
import { createWorkers, type StackContext } from './functions.ts'
import { createMailing } from './mail.ts'
import { BASE_URL_OUTPUT, stackNameOf, TABLE_OUTPUT } from './names.ts'
import { createQueues } from './queues.ts'
import { addReleaseCheck, createAliases, shiftGradually } from './release.ts'
import type { StageSettings } from './stage-settings.ts'
import { createBackups, createKeys, createTable } from './table.ts'

/** A version's description contains all parameters, and takes 256 characters. */
const LONGEST_PARAMETER = 110

type Props = { settings: StageSettings; version: string; bundleFolder: (name: string) => string }

export class ContentService extends Stack {
  constructor(scope: Construct, id: string, { settings, version, bundleFolder }: Props) {
    const { stage, v2ShippedOn, traffic, alarmEmail } = settings
    // Stages differ only in the stack's name, so the deployed template is the tested one.
    super(scope, id, { stackName: stackNameOf(stage), terminationProtection: settings.protected })

    const parameters = this.createParameters()
    const table = createTable(this, settings)
    const backups = createBackups(this, table, settings)
    const keys = createKeys(this, settings)
    const queues = createQueues(this)
    const api = createApi(this, settings)
    const baseUrl = ownUrl(api, settings)
    const { SITE_URL: siteUrl = '' } = parameters
    const isWithoutSite = new CfnCondition(this, 'IsWithoutSite', {
      expression: Fn.conditionEquals(siteUrl, ''),
    })
    const context: StackContext = {
      bundleFolder,
      table,
      queues,
      keys,
      mailing: createMailing(this, settings.mailSender, queues.jobs),
      environment: {
        ...parameters,
        SITE_URL: Fn.conditionIf(isWithoutSite.logicalId, baseUrl, siteUrl).toString(),
        SERVICE_VERSION: version,
        METRICS_NAMESPACE: Aws.STACK_NAME,
        ...(v2ShippedOn !== undefined && { V2_SHIPPED_ON: isoTime(v2ShippedOn) }),
      },
    }

    const aliases = createAliases(this, api, context, Object.values(parameters))
    createAuthorizer(this, api, context)
    createUsagePlans(this, api, settings)
    const domainTarget = addDomain(this, api, settings)
    addShield(this, api, settings)
    createWorkers(this, context, settings.maxConcurrency)

    // An alarm that nobody hears costs as much as another.
    if (alarmEmail !== undefined || traffic === 'canary') {
      const alarms = createAlarms(this, settings, { queues, backups })
      createDashboard(this, table, queues)
      if (traffic === 'canary') shiftGradually(this, aliases, alarms)
    }
    createBudget(this, settings)

    new CfnOutput(this, BASE_URL_OUTPUT, { value: baseUrl })
    new CfnOutput(this, TABLE_OUTPUT, { value: table.tableName })
    // Last, because it comes after all other resources.
    addReleaseCheck(this, context, { BaseUrl: baseUrl, ConnectTo: domainTarget }, Object.values(parameters))
  }

  /** Returns the value of each parameter, by the variable of the functions that has it. */
  private createParameters(): Record<string, string> {
    const values = Object.entries<ParameterRule>(PARAMETERS).flatMap(([name, rule]) => {
      if (!rule.inStack) return []
      const isText = rule.inStack.default === ''
      const parameter = new CfnParameter(this, name, {
        ...rule.inStack,
        // For an empty address of the site, the stack sets its own.
        allowedPattern: name === 'SiteUrl' ? `(${rule.pattern})?` : rule.pattern,
        constraintDescription: rule.requirement,
        ...(isText && { maxLength: LONGEST_PARAMETER }),
      })
      return [[rule.variable, parameter.valueAsString]]
    })
    return Object.fromEntries(values)
  }
}
