// The settings of a stage, from context values (`cdk deploy -c name=value`). All of them are optional.
import * as z from 'zod/mini'
import '../shared/http/zod-messages.ts'
import type { Tier } from '../shared/http/audience.ts'
import { TimeInput } from '../shared/http/time.ts'
import { PARAMETERS, wholeOf } from '../shared/runtime/parameters.ts'

const yesOrNo = z.union([z.boolean(), z.stringbool()], 'must be true or false')
const units = z.coerce.number().check(z.int(), z.positive())
const arn = z.string().check(z.startsWith('arn:'))
const perSecond = z.coerce.number().check(z.positive())

const sender = PARAMETERS.MailSender

/** The context values by name, with their defaults. What costs something while it is idle is off. */
export const Context = z
  .object({
    /** Part of the names of the stack and its functions. `cdk deploy` alone touches no other stage. */
    stage: z._default(
      z.string().check(z.regex(/^[A-Za-z0-9-]{1,32}$/, 'at most 32 letters, digits and hyphens')),
      'local',
    ),
    /** No deletion protection, retention or backups, so that `cdk destroy` deletes everything. */
    disposable: z._default(yesOrNo, false),
    /** Protects the stack from its deletion. `npm run deploy` sets it after the first deployment. */
    protected: z._default(yesOrNo, false),
    /** Requests per second of each tier, and twice as many at once. */
    publicRate: z._default(perSecond, 200),
    meRate: z._default(perSecond, 100),
    adminRate: z._default(perSecond, 50),
    /** The most concurrent runs of each queue's worker: 2, the least that SQS takes, for a quota of 10. */
    maxConcurrency: z._default(z.coerce.number().check(z.int(), z.minimum(2)), 20),
    /** The date on which v2 of the API shipped. Every answer of v1 then has a `Deprecation` header. */
    v2ShippedOn: z.optional(TimeInput),
    /** The name of the table that the stage uses in place of its own, such as a restored one. */
    table: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_.-]{3,255}$/, 'must be the name of a table'))),
    /** How long a backup of each day is kept; without it there are only the 35 days of the table itself. */
    backupDays: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(36_500))),
    domain: z.optional(z.string().check(z.minLength(1))),
    /** The ARN of the domain's certificate in the same region. */
    certificate: z.optional(arn),
    /** Takes the notices of alarms and of the budget; `none` for a stage without alarms. */
    alarmEmail: z.optional(z.union([z.literal('none'), z.email()], 'must be an e-mail address or none')),
    /** The most that the account should cost in a month, in US dollars. */
    monthlyBudgetUsd: z.optional(z.coerce.number().check(z.positive())),
    /** The sender of mails, verified in SES. Without it there is nothing of SES, and no mail is sent. */
    mailSender: z.optional(
      z.string().check(z.minLength(1), z.regex(wholeOf(sender.pattern), sender.requirement)),
    ),
    /** How requests move to a new version of the functions that answer them. */
    traffic: z._default(z.enum(['canary', 'at-once']), 'at-once'),
    /** The units that the table takes in a second; more are throttled, and so cost nothing. */
    maxReadRequestUnits: z._default(units, 12_000),
    maxWriteRequestUnits: z._default(units, 4_000),
    /** A rate rule of AWS WAF against floods from one address. */
    shield: z._default(yesOrNo, false),
  })
  .check(
    z.refine(({ domain, certificate }) => (domain === undefined) === (certificate === undefined), {
      message: 'domain and certificate go together',
    }),
    z.refine(
      ({ monthlyBudgetUsd, alarmEmail = 'none' }) => monthlyBudgetUsd === undefined || alarmEmail !== 'none',
      {
        message: 'monthlyBudgetUsd needs alarmEmail, which takes its notices',
      },
    ),
  )

/** The message has the name of each invalid context value. */
export class InvalidContext extends Error {}

export type StageSettings = ReturnType<typeof readSettings>

/** Throws InvalidContext. */
export function readSettings(contextOf: (name: string) => unknown) {
  const names = Object.keys(Context.shape)
  const parsed = Context.safeParse(Object.fromEntries(names.map(name => [name, contextOf(name)])))
  if (!parsed.success) {
    throw new InvalidContext(`The context (-c name=value) is invalid:\n${z.prettifyError(parsed.error)}`)
  }
  const { publicRate, meRate, adminRate, alarmEmail } = parsed.data
  const ratePerSecond: Record<Tier, number> = { public: publicRate, me: meRate, admin: adminRate }
  return {
    ...parsed.data,
    ratePerSecond,
    alarmEmail: alarmEmail === 'none' ? undefined : alarmEmail,
    isAlarmEmailGiven: alarmEmail !== undefined,
  }
}
