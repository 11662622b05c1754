// The command line of the suite: its options, and what is wrong with them.
import { parseArgs } from 'node:util'
import type { Part } from './check.ts'
import type { SuiteOptions } from './suite.ts'

export const USAGE = `Check whether a service speaks the contract of the headless content API, sentence by sentence.

  ADMIN_TOKEN=… npm run conformance -- URL [options]

  ADMIN_TOKEN            variable: a token with the abilities admin and user
  USER_TOKEN             variable: a token without the ability admin; by default the suite creates one
  URL                    the address of the service, without /api/v1
  --admin-token TOKEN, --user-token TOKEN
                         the same as options, which every user of this machine can see in the list of processes
  --email EMAIL          an account to log in with; its password is read from the variable PASSWORD
  --menu LOCATION        a menu that exists
  --receiver-url URL     where the service reaches this machine with webhooks, for example a tunnel
  --receiver-port N      the port to receive webhooks at (default: 4000 with --receiver-url, else a free one)
  --reading              only read: nothing is created, and what needs more is not run
  --limits-raised        the service allows more requests than the contract: do not wait, and do not show limits
  --only TEXT            only checks whose name, section or sentence contains the text
  --part PART            only contract, completions or additions
  --all                  list each check, and the sentences that cannot be shown
  --help                 show this help

It creates posts, categories, subscriptions and tokens, and deletes them at the end, also after Ctrl-C.
Within the limits of the contract it takes about thirteen minutes.
Exit code: 0 if nothing fell short, 1 if something did, 2 if the suite could not run.
`

export class UsageError extends Error {}

const PARTS: Part[] = ['contract', 'completions', 'additions']
const TUNNEL_PORT = 4000
const VISIBLE = `Every user of this machine can see a token in the list of processes.
Set the variables ADMIN_TOKEN and USER_TOKEN instead of --admin-token and --user-token.`

export type Options = {
  suite: SuiteOptions
  only: string | undefined
  part: Part | undefined
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
      menu: values.menu,
      areLimitsRaised: values['limits-raised'],
      isReading: values.reading,
      receiver: {
        url: receiverUrl === undefined ? undefined : readUrl('--receiver-url', receiverUrl),
        port: readPort(values['receiver-port']) ?? (receiverUrl === undefined ? 0 : TUNNEL_PORT),
      },
    },
    only: values.only,
    part: readPart(values.part),
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
    menu: text,
    'receiver-url': text,
    'receiver-port': text,
    reading: flag,
    'limits-raised': flag,
    only: text,
    part: text,
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

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new UsageError(`--receiver-port takes a number from 0 to 65535, not ${JSON.stringify(text)}.`)
}

function readPart(text: string | undefined): Part | undefined {
  const part = PARTS.find(known => known === text)
  if (part || text === undefined) return part
  throw new UsageError(`--part takes ${PARTS.join(', ')}, not ${JSON.stringify(text)}.`)
}

function readAccount(email: string | undefined, password: string | undefined): SuiteOptions['account'] {
  if (email === undefined) return undefined
  if (password) return { email, password }
  throw new UsageError('--email needs the password of the account in the variable PASSWORD.')
}
