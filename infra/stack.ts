// The service as one stack: parameters, table, keys, queues, API and functions.
import { Aws, CfnCondition, CfnOutput, Fn, Stack } from 'aws-cdk-lib'
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { isoTime } from '../shared/http/time.ts'
import { SECRET_NAMES } from '../shared/runtime/parameters.ts'
import { API_FUNCTIONS } from '../shared/service/api.ts'
import { createAlarms, createBudget } from './alarms.ts'
import { createApi, ownUrl } from './api.ts'
import { createBackups } from './backups.ts'
import { createDashboard } from './dashboard.ts'
import { addDomain } from './domain.ts'
import { createFunction, type StackContext } from './functions.ts'
import { createKeys } from './keys.ts'
import { createMailing } from './mail.ts'
import { BASE_URL_OUTPUT, secretOutput, stackNameOf, TABLE_OUTPUT } from './names.ts'
import { createParameters } from './parameters.ts'
import { createQueues } from './queues.ts'
import { addReleaseCheck } from './release-check.ts'
import type { StageSettings } from './settings.ts'
import { addShield } from './shield.ts'
import { adoptTable, createTable } from './table.ts'
import { createAuthorizer, createUsagePlans } from './tiers.ts'
import { createAliases, shiftGradually } from './traffic.ts'
import { createQueueWorkers, createScheduledWorkers } from './workers.ts'

type Props = { settings: StageSettings; version: string; bundleFolder: (name: string) => string }

export class ContentService extends Stack {
  constructor(scope: Construct, id: string, { settings, version, bundleFolder }: Props) {
    const { stage, isDisposable, v2ShippedOn, table: tableName, traffic, alarmEmail } = settings
    // Stages differ only in the stack's name, so the deployed template is the tested one.
    super(scope, id, { stackName: stackNameOf(stage), terminationProtection: settings.protected })

    const parameters = createParameters(this)
    const table = tableName === undefined ? createTable(this, settings) : adoptTable(this, tableName)
    const backups = createBackups(this, table, settings)
    const keys = createKeys(this, isDisposable)
    const queues = createQueues(this)
    const api = createApi(this, settings)
    const baseUrl = ownUrl(api, settings)

    const siteUrl = parameters.SiteUrl.valueAsString
    const isWithoutSite = new CfnCondition(this, 'IsWithoutSite', {
      expression: Fn.conditionEquals(siteUrl, ''),
    })
    const context: StackContext = {
      bundleFolder,
      isTraced: settings.tracing,
      table,
      queues,
      keys,
      mailing: createMailing(this, settings.mailSender, queues.jobs),
      environment: {
        SERVICE_VERSION: version,
        METRICS_NAMESPACE: Aws.STACK_NAME,
        LOG_LEVEL: parameters.LogLevel.valueAsString,
        SITE_URL: Fn.conditionIf(isWithoutSite.logicalId, baseUrl, siteUrl).toString(),
        LIMIT_SCALE: parameters.LimitScale.valueAsString,
        ...(v2ShippedOn !== undefined && { V2_SHIPPED_ON: isoTime(v2ShippedOn) }),
        ALLOWED_WEBHOOK_HOSTS: parameters.AllowedWebhookHosts.valueAsString,
      },
    }

    const functions: Record<string, Lambda> = {}
    for (const [name, needs] of Object.entries(API_FUNCTIONS)) {
      functions[name] = createFunction(this, name, needs, context)
    }
    const aliases = createAliases(api, functions, parameters)
    createAuthorizer(this, api, context)
    createUsagePlans(this, api, settings.ratePerSecond)
    const domainTarget = addDomain(this, api, settings)
    addShield(this, api, settings)

    createQueueWorkers(this, context, settings.maxConcurrency)
    createScheduledWorkers(this, context)

    // An alarm that nobody hears costs as much as another.
    if (alarmEmail !== undefined || traffic !== 'at-once') {
      const alarms = createAlarms(this, settings, { queues, backups, baseUrl })
      createDashboard(this, table, queues)
      shiftGradually(this, aliases, traffic, alarms)
    }
    createBudget(this, settings)

    new CfnOutput(this, BASE_URL_OUTPUT, { value: baseUrl })
    new CfnOutput(this, TABLE_OUTPUT, { value: table.tableName })
    for (const name of SECRET_NAMES) {
      new CfnOutput(this, secretOutput(name), { value: keys[name].secretArn })
    }
    // Last, because it comes after all other resources.
    addReleaseCheck(this, context, { BaseUrl: baseUrl, ConnectTo: domainTarget, parameters })
  }
}
