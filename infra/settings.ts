// What a deployment may choose (`cdk deploy -c name=value`); without any of it the service deploys all the same.
import * as z from 'zod/mini'
import '../shared/http/zod-messages.ts'
import type { Tier } from '../shared/http/tier.ts'
import { TimeInput } from '../shared/http/time.ts'

/** What SQS lets an event source be limited to at least, and what the workers declare at most. */
const LEAST_CONCURRENCY = 2
const MOST_CONCURRENCY = 5

const yesOrNo = z.union([z.boolean(), z.stringbool()])
const perSecond = z.coerce.number().check(z.positive())

const Context = z
  .object({
    /** Part of the stack's name: several stages share an account. */
    stage: z._default(z.string().check(z.regex(/^[A-Za-z0-9-]+$/, 'letters, digits and hyphens')), 'live'),
    /** No protection, retention or backups: `cdk destroy` leaves nothing behind. */
    disposable: z._default(yesOrNo, false),
    /** Requests a second; together below the 10,000 of an account. */
    publicRate: z._default(perSecond, 4000),
    meRate: z._default(perSecond, 1000),
    adminRate: z._default(perSecond, 500),
    /** Of every queue's worker at once, where its own number is higher. 2 on an account with 10 concurrent runs. */
    maxConcurrency: z._default(
      z.coerce.number().check(z.int(), z.minimum(LEAST_CONCURRENCY)),
      MOST_CONCURRENCY,
    ),
    /** The date on which v2 of the API shipped: from then on every answer of v1 says that it is deprecated. */
    v2ShippedOn: z.optional(TimeInput),
    domain: z.optional(z.string()),
    /** The ARN of the domain's certificate, in the same region. */
    certificate: z.optional(z.string().check(z.startsWith('arn:'))),
    /** The ARN of a regional WAF ACL; its rate rule is the shield against a flood. */
    webAcl: z.optional(z.string().check(z.startsWith('arn:'))),
  })
  .check(
    z.refine(({ domain, certificate }) => (domain === undefined) === (certificate === undefined), {
      message: 'domain and certificate go together',
    }),
  )

export type StageSettings = {
  stage: string
  isDisposable: boolean
  ratePerSecond: Record<Tier, number>
  maxConcurrency: number
  /** In epoch seconds. */
  v2ShippedOn: number | undefined
  domain: { name: string; certificateArn: string } | undefined
  webAclArn: string | undefined
}

/** Throws with the name of the context value that makes no sense. */
export function readSettings(contextOf: (name: string) => unknown): StageSettings {
  const names = Object.keys(Context.shape)
  const parsed = Context.safeParse(Object.fromEntries(names.map(name => [name, contextOf(name)])))
  if (!parsed.success) {
    throw new Error(`The context (-c name=value) cannot be used:\n${z.prettifyError(parsed.error)}`)
  }
  const { stage, disposable, publicRate, meRate, adminRate, maxConcurrency, v2ShippedOn } = parsed.data
  const { domain, certificate, webAcl } = parsed.data
  return {
    stage,
    isDisposable: disposable,
    ratePerSecond: { public: publicRate, me: meRate, admin: adminRate },
    maxConcurrency,
    v2ShippedOn,
    domain: domain && certificate ? { name: domain, certificateArn: certificate } : undefined,
    webAclArn: webAcl,
  }
}
