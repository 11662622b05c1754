// The parameters of a deployment. CloudFormation and the functions check the same patterns, so that no value
// breaks a function. The patterns must mean the same in Java and in JavaScript.

const LABEL = '[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?'
/** The last label begins with a letter, because a URL parser takes other names for IPv4 addresses. */
const NAME = `(${LABEL}\\.)*[A-Za-z]([A-Za-z0-9_-]*[A-Za-z0-9_])?`
const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const IPV4 = `(${BYTE}\\.){3}${BYTE}`
const GROUP = '[0-9A-Fa-f]{1,4}'
/** The groups before and after the one `::`, which stands for at least one group. */
const SHORT_IPV6 = [1, 2, 3, 4, 5, 6].map(n => `(${GROUP}:){1,${7 - n}}(:${GROUP}){1,${n}}`)
const IPV6 = `\\[((${GROUP}:){7}${GROUP}|(${GROUP}:){1,7}:|${SHORT_IPV6.join('|')}|:((:${GROUP}){1,7}|:))\\]`
const HOST = `(${NAME}|${IPV4}|${IPV6})`
const PORT = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})'
const HOST_AND_PORT = `${HOST}(:${PORT})?`
const PATH = "(/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)*"
const DECIMAL = '[0-9]{0,8}[1-9][0-9]{0,8}(\\.[0-9]{1,6})?|[0-9]{1,9}\\.[0-9]{0,5}[1-9][0-9]{0,5}'

/** From the lowest to the highest. `debug` is for failures that are retried. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

export type ParameterRule = {
  /** The environment variable with its value. */
  variable: string
  /** Matches the whole value, including the empty one if the functions take it. */
  pattern: string
  requirement: string
  /** Makes it a parameter of the stack, which changes without a new template. */
  inStack?: { default: string; description: string }
}

export const PARAMETERS = {
  SiteUrl: {
    variable: 'SITE_URL',
    pattern: `https?://${HOST_AND_PORT}${PATH}`,
    requirement: 'must be an http or https URL without a query, such as https://example.com',
    inStack: { default: '', description: "Base of every public URL. Empty: the service's own address." },
  },
  LimitScale: {
    variable: 'LIMIT_SCALE',
    pattern: DECIMAL,
    requirement: 'must be a decimal number above 0, such as 1 or 2.5',
    inStack: { default: '1', description: 'Multiplies every rate limit.' },
  },
  AllowedWebhookHosts: {
    variable: 'ALLOWED_WEBHOOK_HOSTS',
    pattern: `(${HOST_AND_PORT}( *, *${HOST_AND_PORT})*)?`,
    requirement: 'must be hosts with or without a port, separated by commas, such as hooks.internal:8080',
    inStack: {
      default: '',
      description:
        'Hosts, separated by commas, that webhooks may reach at private addresses. The log shows no answers of them.',
    },
  },
  MailSender: {
    variable: 'MAIL_SENDER',
    pattern: `([A-Za-z0-9.!#$%&'*+/=?^_{|}~-]+@${NAME})?`,
    requirement: 'must be an e-mail address without a name, such as content@example.com',
  },
  LogLevel: {
    variable: 'LOG_LEVEL',
    pattern: LEVELS.join('|'),
    requirement: 'must be debug, info, warn or error',
    inStack: {
      default: 'debug',
      description: 'The lowest level that functions log: debug, info, warn or error.',
    },
  },
} as const satisfies Record<string, ParameterRule>

export type ParameterName = keyof typeof PARAMETERS

export function wholeOf(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`)
}

/**
 * Variables with the value of a secret. A deployed function gets only its id, as `<variable>_SECRET`, and
 * reads the value at its start. Tools and tests, which have no Secrets Manager, give the value itself.
 */
export const SECRET_VARIABLES = {
  ClientKey: 'CLIENT_KEY',
  PrivateKey: 'PRIVATE_KEY',
} as const

export type SecretName = keyof typeof SECRET_VARIABLES
export const SECRET_NAMES: SecretName[] = ['ClientKey', 'PrivateKey']
export type SecretVariable = (typeof SECRET_VARIABLES)[SecretName]
