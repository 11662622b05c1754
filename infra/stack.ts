// The service as one stack: parameters, table, keys, queues, API and functions.
import { Aws, CfnCondition, CfnOutput, CfnParameter, type CfnParameterProps, Fn, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { isoTime } from '../shared/http/time.ts'
import { PARAMETERS } from '../shared/runtime/parameters.ts'
import { createAlarms } from './alarms.ts'
import { addDomain, createApi, ownUrl } from './api.ts'
import { createBudget, createDashboard } from './dashboard.ts'
import { createWorkers, type StackContext } from './functions.ts'
import { createMailing } from './mail.ts'
import { BASE_URL_OUTPUT, stackNameOf, TABLE_OUTPUT } from './names.ts'
import { createQueues } from './queues.ts'
import { addReleaseCheck, createAliases, shiftGradually } from './release.ts'
import type { StageSettings } from './settings.ts'
import { addShield } from './shield.ts'
import { createBackups, createKeys, createTable } from './table.ts'
import { createAuthorizer, createUsagePlans } from './tiers.ts'

/** A version's description contains all parameters, and takes 256 characters. */
const MAX_LENGTH = 110

/**
 * The settings that need no new synth; the local run sets them as well. That of the sender is a value of the
 * stage: without it the template has nothing of SES.
 */
const DEFAULTS: Record<string, CfnParameterProps> = {
  SiteUrl: {
    default: '',
    maxLength: MAX_LENGTH,
    description: "Base of every public URL. Empty: the service's own address.",
    // For an empty one the stack sets its own address.
    allowedPattern: `(${PARAMETERS.SiteUrl.pattern})?`,
  },
  LimitScale: { default: '1', description: 'Multiplies every rate limit.' },
  AllowedWebhookHosts: {
    default: '',
    maxLength: MAX_LENGTH,
    description:
      'Hosts, separated by commas, that webhooks may reach at private addresses. The log shows no answers of them.',
  },
  LogLevel: {
    default: 'debug',
    description: 'The lowest level that functions log: debug, info, warn or error.',
  },
}

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
      const alarms = createAlarms(this, settings, { queues, backups, baseUrl })
      createDashboard(this, table, queues)
      if (traffic === 'canary') shiftGradually(this, aliases, alarms)
    }
    createBudget(this, settings)

    new CfnOutput(this, BASE_URL_OUTPUT, { value: baseUrl })
    new CfnOutput(this, TABLE_OUTPUT, { value: table.tableName })
    // Last, because it comes after all other resources.
    const address = { BaseUrl: baseUrl, ConnectTo: domainTarget }
    addReleaseCheck(this, context, address, Object.values(parameters))
  }

  /** Returns the value of each parameter, by the variable of the functions that has it. */
  private createParameters(): Record<string, string> {
    const values = Object.entries(PARAMETERS).flatMap(([name, { pattern, requirement, variable }]) => {
      if (!(name in DEFAULTS)) return []
      const rule = { allowedPattern: pattern, constraintDescription: requirement }
      return [[variable, new CfnParameter(this, name, { ...rule, ...DEFAULTS[name] }).valueAsString]]
    })
    return Object.fromEntries(values)
  }
}
