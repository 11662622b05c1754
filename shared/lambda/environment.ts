// The environment of every function, parsed once: a bad one fails at the start and loudly.
import { z } from 'zod'
import { TimeInput } from '../http/time.ts'

const Environment = z.object({
  TABLE_NAME: z.string().min(1),
  SERVICE_VERSION: z.string().default('0.0.0'),
  /** Since when v1 is deprecated; missing while there is no v2. */
  V2_SHIPPED_ON: TimeInput.optional(),
  /** Base of every public URL, without a slash at its end. */
  SITE_URL: z.url().transform(url => url.replace(/\/+$/, '')),
  LIMIT_SCALE: z.coerce.number().positive().default(1),
  /** Keys the HMAC of client addresses. */
  CLIENT_KEY: z.string().min(16).optional(),
  /** Seals webhook secrets; only functions that sign have it. */
  WEBHOOK_KEY: z.string().min(16).optional(),
  ALLOW_LOOPBACK_WEBHOOKS: z.stringbool().default(false),
  /** Exact hosts, by commas, that deliveries may reach though their address is not public. */
  ALLOWED_WEBHOOK_HOSTS: z
    .string()
    .default('')
    .transform(hosts =>
      hosts
        .split(',')
        .map(host => host.trim())
        .filter(host => host !== ''),
    ),
  EVENTS_QUEUE_URL: z.string().optional(),
  DELIVERIES_QUEUE_URL: z.string().optional(),
  TIDY_QUEUE_URL: z.string().optional(),
  MAIL_QUEUE_URL: z.string().optional(),
  INDEX_QUEUE_URL: z.string().optional(),
  /** The address that mails come from; empty: none are sent. */
  MAIL_SENDER: z.string().default(''),
  MAIL_CONFIGURATION_SET: z.string().optional(),
})
export type Environment = z.infer<typeof Environment>

export const readEnvironment = (variables: Record<string, string | undefined>): Environment =>
  Environment.parse(variables)

/** A variable that this function must have been given. */
export const required = (environment: Environment, name: keyof Environment & string): string => {
  const value = environment[name]
  if (typeof value !== 'string') throw new Error(`The function has no ${name} in its environment.`)
  return value
}
