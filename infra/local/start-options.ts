// The command line of `npm start`: its options, what they may be, and how they are explained.
import { parseArgs } from 'node:util'
import { PARAMETERS, wholeOf } from '../../shared/service/parameters.ts'

export type StartOptions = {
  port: number
  stateFolder: string
  empty: boolean
  reset: boolean
  limitScale: string | undefined
  strictAddresses: boolean
  faults: number | undefined
  help: boolean
}

export const usage = `Runs the whole service on this machine.

  npm start -- [options]

  --port N             where to listen, 0 for any free port (3000)
  --state DIR          the folder that keeps the data (.local)
  --empty              no demo content on the first start
  --reset              start over: delete the data first
  --limit-scale N      multiply all rate limits by N
  --strict-addresses   webhooks may not go to this machine, as in the cloud
  --faults SEED        AWS on a bad day: conflicts, time-outs, crashes, doubles; the same again with the same number
  --help               show this
`

const declared = {
  port: { type: 'string', default: '3000' },
  state: { type: 'string', default: '.local' },
  empty: { type: 'boolean', default: false },
  reset: { type: 'boolean', default: false },
  'limit-scale': { type: 'string' },
  'strict-addresses': { type: 'boolean', default: false },
  faults: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

export class UsageError extends Error {}

/** Throws UsageError, with a message for people, when an option is unknown or has a value that makes no sense. */
export function readOptions(args: string[]): StartOptions {
  const values = parse(args)
  if (values.state === '') throw new UsageError('--state takes a folder.')
  return {
    port: readPort(values.port),
    stateFolder: values.state,
    empty: values.empty,
    reset: values.reset,
    limitScale: readScale(values['limit-scale']),
    strictAddresses: values['strict-addresses'],
    faults: readSeed(values.faults),
    help: values.help,
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: declared }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new UsageError(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}.`)
}

function readScale(text: string | undefined): string | undefined {
  if (text === undefined || wholeOf(PARAMETERS.LimitScale.pattern).test(text)) return text
  throw new UsageError(`--limit-scale takes a number above 0, not ${JSON.stringify(text)}.`)
}

function readSeed(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`--faults takes a whole number of at most nine digits, not ${JSON.stringify(text)}.`)
}
