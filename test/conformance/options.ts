// The command line of the suite: its options, and what is wrong with them.
import { parseArgs } from 'node:util'
import type { SuiteOptions } from './suite.ts'

export const USAGE = `Check whether a service speaks the contract of the headless content API, sentence by sentence.

  ADMIN_TOKEN=… npm run conformance -- URL [options]

  ADMIN_TOKEN            variable: a token with the abilities admin and user
  USER_TOKEN             variable: a token without the ability admin; by default the suite creates one
  URL                    the address of the service, without /api/v1
  --admin-token TOKEN, --user-token TOKEN
                         the same as options, which every user of this machine can see in the list of processes
  --email EMAIL          an account to log in with; its password is read from the variable PASSWORD
  --receiver-url URL     where the service reaches port 4000 of this machine with webhooks, for example a tunnel
  --reading              only read: nothing is created, and what needs more is not run
  --limits-raised        the service allows more requests than the contract: do not wait, and do not show limits
  --only TEXT            only checks whose name, section or sentence contains the text
  --all                  list each check, and the sentences that cannot be shown
  --help                 show this help

It creates posts, categories, subscriptions and tokens, and deletes them at the end, also after Ctrl-C.
Within the limits of the contract it takes about thirteen minutes.
Exit code: 0 if nothing fell short, 1 if something did, 2 if the suite could not run.
`

export class UsageError extends Error {}

const TUNNEL_PORT = 4000
const VISIBLE = `Every user of this machine can see a token in the list of processes.
Set the variables ADMIN_TOKEN and USER_TOKEN instead of --admin-token and --user-token.`

export type Options = {
  suite: SuiteOptions
  only: string | undefined
  isWhole: boolean
  /** What is better done otherwise. */
  warning: string | undefined
}

/** Undefined if the help was asked for. */
export function readOptions(args: string[], env: Record<string, string | undefined>): Options | undefined {
  const { values, positionals } = parse(args)
  if (values.help) return undefined
  const [url, ...rest] = positionals
  if (url === undefined) throw new UsageError('The address of the service is missing.')
  if (rest.length > 0) throw new UsageError(`There is one address, and not also ${rest.join(' ')}.`)
  const { 'admin-token': visibleAdmin, 'user-token': visibleUser } = values
  const adminToken = visibleAdmin ?? env.ADMIN_TOKEN
  if (!adminToken) throw new UsageError('The variable ADMIN_TOKEN is missing.')
  const receiverUrl = values['receiver-url']
  return {
    suite: {
      baseUrl: readUrl('The address', url)
        .replace(/\/+$/, '')
        .replace(/\/api(?:\/v1)?$/, ''),
      adminToken,
      userToken: visibleUser ?? env.USER_TOKEN,
      account: readAccount(values.email, env.PASSWORD),
      areLimitsRaised: values['limits-raised'],
      isReading: values.reading,
      receiver:
        receiverUrl === undefined
          ? undefined
          : { url: readUrl('--receiver-url', receiverUrl), port: TUNNEL_PORT },
    },
    only: values.only,
    isWhole: values.all,
    warning: visibleAdmin === undefined && visibleUser === undefined ? undefined : VISIBLE,
  }
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const options = {
    'admin-token': text,
    'user-token': text,
    email: text,
    'receiver-url': text,
    reading: flag,
    'limits-raised': flag,
    only: text,
    all: flag,
    help: flag,
  } as const
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function readUrl(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text
  throw new UsageError(`${name} begins with http:// or https://, unlike ${JSON.stringify(text)}.`)
}

function readAccount(email: string | undefined, password: string | undefined): SuiteOptions['account'] {
  if (email === undefined) return undefined
  if (password) return { email, password }
  throw new UsageError('--email needs the password of the account in the variable PASSWORD.')
}
