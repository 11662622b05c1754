// The environment variables of every function, parsed once at the start.
import * as z from 'zod/mini'
import type { QUEUES, QueueName } from '../events/message.ts'
import { TimeInput } from '../http/time.ts'
import { LEVELS, PARAMETERS, type ParameterName, type SecretVariable, wholeOf } from './parameters.ts'

/** A value that the template's parameter of this name accepts. */
function parameter(name: ParameterName) {
  const { pattern, requirement } = PARAMETERS[name]
  const whole = wholeOf(pattern)
  return z.custom<string>(value => typeof value === 'string' && whole.test(value), requirement)
}

const text = z.optional(z.string())
const key = z.optional(z.string().check(z.minLength(16)))

/** The URL of each queue that the function uses. */
const QUEUE_URLS = {
  EVENTS_QUEUE_URL: text,
  DELIVERIES_QUEUE_URL: text,
  INDEX_QUEUE_URL: text,
  JOBS_QUEUE_URL: text,
} satisfies Record<(typeof QUEUES)[QueueName]['urlVariable'], typeof text>

/** The id of each secret that the function reads. */
const SECRET_IDS = { CLIENT_KEY_SECRET: text, PRIVATE_KEY_SECRET: text } satisfies Record<
  `${SecretVariable}_SECRET`,
  typeof text
>

const Environment = z.object({
  TABLE_NAME: z.string().check(z.minLength(1)),
  SERVICE_VERSION: z._default(z.string(), '0.0.0'),
  /** The namespace of the metrics in the log. */
  METRICS_NAMESPACE: z._default(z.string(), 'ContentService'),
  /** The lowest level that is logged. */
  LOG_LEVEL: z._default(z.enum(LEVELS, PARAMETERS.LogLevel.requirement), 'debug'),
  /** The date of the deprecation of v1. Missing while there is no v2. */
  V2_SHIPPED_ON: z.optional(TimeInput),
  /** The base of every public URL, without a slash at the end. */
  SITE_URL: z.pipe(
    parameter('SiteUrl'),
    z.transform(url => url.replace(/\/+$/, '')),
  ),
  LIMIT_SCALE: z._default(z.pipe(parameter('LimitScale'), z.transform(Number)), 1),
  ...SECRET_IDS,
  /** A secret has one or two keys (aws/secret-value.ts). This one is for client addresses and cursors. */
  CLIENT_KEY: key,
  /** For links in mails and webhook secrets. Only functions that make or read those have it. */
  PRIVATE_KEY: key,
  /** Set by the local run only. */
  ALLOW_LOOPBACK_WEBHOOKS: z._default(z.stringbool(), false),
  /** Comma-separated hosts that deliveries may reach although their address is private. */
  ALLOWED_WEBHOOK_HOSTS: z.pipe(
    z._default(parameter('AllowedWebhookHosts'), ''),
    z.transform(hosts =>
      hosts
        .split(',')
        .map(host => host.trim())
        .filter(host => host !== ''),
    ),
  ),
  ...QUEUE_URLS,
  /** The sender of mails. If empty, none are sent. */
  MAIL_SENDER: z._default(parameter('MailSender'), ''),
  MAIL_CONFIGURATION_SET: text,
  /** Endpoints that replace AWS's own: of all services, and of each. */
  AWS_ENDPOINT_URL: text,
  AWS_ENDPOINT_URL_DYNAMODB: text,
  AWS_ENDPOINT_URL_SQS: text,
  AWS_ENDPOINT_URL_SESV2: text,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: text,
  AWS_USE_FIPS_ENDPOINT: text,
  AWS_USE_DUALSTACK_ENDPOINT: text,
  /** Set by Lambda. */
  AWS_REGION: text,
  AWS_ACCESS_KEY_ID: text,
  AWS_SECRET_ACCESS_KEY: text,
  AWS_SESSION_TOKEN: text,
})
export type Environment = z.infer<typeof Environment>

/** Throws an error that names every invalid variable. */
export function readEnvironment(variables: Record<string, string | undefined>): Environment {
  const read = Environment.safeParse(variables)
  if (read.success) return read.data
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  throw new Error(`The environment of this function cannot be used: ${faults.join('; ')}.`)
}

/** Throws if this function does not have the variable. */
export function required<Name extends keyof Environment & string>(
  environment: Pick<Environment, Name>,
  name: Name,
): string {
  const value = environment[name]
  if (typeof value !== 'string') throw new Error(`The function has no ${name} in its environment.`)
  return value
}
