// The environment of every function, parsed once: a bad one fails at the start and loudly.
import * as z from 'zod/mini'
import { QUEUES, type QueueName } from '../events/message.ts'
import { TimeInput } from '../http/time.ts'
import { PARAMETERS, type ParameterName, wholeOf } from './parameters.ts'

/** As the template's parameter of this name accepts it. */
function parameter(name: ParameterName) {
  const { pattern, requirement } = PARAMETERS[name]
  const whole = wholeOf(pattern)
  return z.custom<string>(value => typeof value === 'string' && whole.test(value), requirement)
}

const text = z.optional(z.string())
const key = z.optional(z.string().check(z.minLength(16)))

type UrlVariable = (typeof QUEUES)[QueueName]['urlVariable']
/** The URL of each queue that the function uses. */
const QUEUE_URLS = Object.fromEntries(
  Object.values(QUEUES).map(({ urlVariable }) => [urlVariable, text]),
) as Record<UrlVariable, typeof text>

const Environment = z.object({
  TABLE_NAME: z.string().check(z.minLength(1)),
  SERVICE_VERSION: z._default(z.string(), '0.0.0'),
  /** Since when v1 is deprecated; missing while there is no v2. */
  V2_SHIPPED_ON: z.optional(TimeInput),
  /** Base of every public URL, without a slash at its end. */
  SITE_URL: z.pipe(
    parameter('SiteUrl'),
    z.transform(url => url.replace(/\/+$/, '')),
  ),
  LIMIT_SCALE: z._default(z.pipe(parameter('LimitScale'), z.transform(Number)), 1),
  /** Keys the HMAC of client addresses. */
  CLIENT_KEY: key,
  /** Keys the tokens of links in mails; only functions that make or read links have it. */
  LINK_KEY: key,
  /** Seals webhook secrets; only functions that sign have it. */
  WEBHOOK_KEY: key,
  /** Of the local run alone: no template sets it. */
  ALLOW_LOOPBACK_WEBHOOKS: z._default(z.stringbool(), false),
  /** Set by the local run only: an event that the endpoint does not declare fails the request. */
  REFUSE_UNDECLARED_EVENTS: z._default(z.stringbool(), false),
  /** Exact hosts, by commas, that deliveries may reach though their address is private. */
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
  /** The address that mails come from; empty: none are sent. */
  MAIL_SENDER: z._default(parameter('MailSender'), ''),
  MAIL_CONFIGURATION_SET: text,
  /** Where calls of AWS go instead, all of them or those of the queues. */
  AWS_ENDPOINT_URL: text,
  AWS_ENDPOINT_URL_SQS: text,
})
export type Environment = z.infer<typeof Environment>

/** Throws with every variable that cannot be used. */
export function readEnvironment(variables: Record<string, string | undefined>): Environment {
  const read = Environment.safeParse(variables)
  if (read.success) return read.data
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  throw new Error(`The environment of this function cannot be used: ${faults.join('; ')}.`)
}

/** A variable that this function must have been given. */
export function required(environment: Environment, name: keyof Environment & string): string {
  const value = environment[name]
  if (typeof value !== 'string') throw new Error(`The function has no ${name} in its environment.`)
  return value
}
