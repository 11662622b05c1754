// The settings of a stage, from context values (`cdk deploy -c name=value`). All of them are optional.
import * as z from 'zod/mini'
import '../shared/http/zod-messages.ts'
import type { Tier } from '../shared/http/tier.ts'
import { TimeInput } from '../shared/http/time.ts'

/** The lowest limit that SQS accepts for an event source, and the highest that the workers declare. */
const MIN_CONCURRENCY = 2
const MAX_CONCURRENCY = 20

const yesOrNo = z.union([z.boolean(), z.stringbool()], 'must be true or false')
const units = z.coerce.number().check(z.int(), z.positive())
const perSecond = z.coerce.number().check(z.positive())

/** How requests move to a new version of the functions that answer them. */
const Traffic = z.enum(['canary', 'linear', 'at-once'])
export type Traffic = z.infer<typeof Traffic>

/** The context values by name, with their defaults. */
export const Context = z
  .object({
    /** Part of the names of the stack and its functions. `cdk deploy` alone touches no other stage. */
    stage: z._default(
      z.string().check(z.regex(/^[A-Za-z0-9-]{1,32}$/, 'at most 32 letters, digits and hyphens')),
      'local',
    ),
    /** No deletion protection, retention or backups, so that `cdk destroy` deletes everything. */
    disposable: z._default(yesOrNo, false),
    /** Requests per second of each tier; their sum stays below the account's limit of 10,000. */
    publicRate: z._default(perSecond, 4000),
    meRate: z._default(perSecond, 1000),
    adminRate: z._default(perSecond, 500),
    /** The most concurrent runs of each queue's worker. Use 2 in an account with a quota of 10. */
    maxConcurrency: z._default(z.coerce.number().check(z.int(), z.minimum(MIN_CONCURRENCY)), MAX_CONCURRENCY),
    /** The date on which v2 of the API shipped. Every answer of v1 then has a `Deprecation` header. */
    v2ShippedOn: z.optional(TimeInput),
    /** The name of the table that the stage uses in place of its own, such as a restored one. */
    table: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_.-]{3,255}$/, 'must be the name of a table'))),
    /** How long a backup of each day is kept; without it there are only the 35 days of the table itself. */
    backupDays: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(36_500))),
    domain: z.optional(z.string()),
    /** The ARN of the domain's certificate in the same region. */
    certificate: z.optional(z.string().check(z.startsWith('arn:'))),
    /** Takes the notices of alarms and of the budget. */
    alarmEmail: z.optional(z.email()),
    /** The most that the account should cost in a month, in US dollars. */
    monthlyBudgetUsd: z.optional(z.coerce.number().check(z.positive())),
    /** How many functions the account may run at once; `npm run deploy` reads it. */
    lambdaQuota: z._default(z.coerce.number().check(z.int(), z.positive()), 1000),
    /** By default `canary`, and `at-once` for stages that are disposable. */
    traffic: z.optional(Traffic),
    /** Traces of requests with AWS X-Ray. */
    tracing: z._default(yesOrNo, false),
    /** The units that the table takes in a second; more are throttled, and so cost nothing. */
    maxReadRequestUnits: z._default(units, 12_000),
    maxWriteRequestUnits: z._default(units, 4_000),
    /** A rate rule of AWS WAF; by default for stages that are not disposable and name no `webAcl`. */
    shield: z.optional(yesOrNo),
    /** The ARN of a regional WAF ACL, whose rate rule protects against floods. */
    webAcl: z.optional(z.string().check(z.startsWith('arn:'))),
  })
  .check(
    z.refine(({ domain, certificate }) => (domain === undefined) === (certificate === undefined), {
      message: 'domain and certificate go together',
    }),
    z.refine(({ monthlyBudgetUsd, alarmEmail }) => monthlyBudgetUsd === undefined || alarmEmail, {
      message: 'monthlyBudgetUsd needs alarmEmail, which takes its notices',
    }),
    z.refine(({ webAcl, shield }) => webAcl === undefined || shield !== true, {
      message: 'webAcl takes the place of shield: name one of them',
    }),
  )

export type StageSettings = {
  stage: string
  isDisposable: boolean
  ratePerSecond: Record<Tier, number>
  maxConcurrency: number
  /** In epoch seconds. */
  v2ShippedOn: number | undefined
  tableName: string | undefined
  backupDays: number | undefined
  domain: { name: string; certificateArn: string } | undefined
  alarmEmail: string | undefined
  monthlyBudgetUsd: number | undefined
  lambdaQuota: number
  traffic: Traffic
  isTraced: boolean
  maxUnits: { read: number; write: number }
  hasShield: boolean
  webAclArn: string | undefined
}

/** The message has the name of each invalid context value. */
export class InvalidContext extends Error {}

/** Throws InvalidContext. */
export function readSettings(contextOf: (name: string) => unknown): StageSettings {
  const names = Object.keys(Context.shape)
  const parsed = Context.safeParse(Object.fromEntries(names.map(name => [name, contextOf(name)])))
  if (!parsed.success) {
    throw new InvalidContext(`The context (-c name=value) is invalid:\n${z.prettifyError(parsed.error)}`)
  }
  const { stage, disposable, publicRate, meRate, adminRate, maxConcurrency, v2ShippedOn } = parsed.data
  const { table, domain, certificate, webAcl, alarmEmail, monthlyBudgetUsd, lambdaQuota, tracing } =
    parsed.data
  const { maxReadRequestUnits, maxWriteRequestUnits, shield, backupDays, traffic } = parsed.data
  return {
    stage,
    isDisposable: disposable,
    ratePerSecond: { public: publicRate, me: meRate, admin: adminRate },
    maxConcurrency,
    v2ShippedOn,
    tableName: table,
    backupDays,
    domain: domain && certificate ? { name: domain, certificateArn: certificate } : undefined,
    alarmEmail,
    monthlyBudgetUsd,
    lambdaQuota,
    traffic: traffic ?? (disposable ? 'at-once' : 'canary'),
    isTraced: tracing,
    maxUnits: { read: maxReadRequestUnits, write: maxWriteRequestUnits },
    hasShield: shield ?? (!disposable && webAcl === undefined),
    webAclArn: webAcl,
  }
}
