// The command line of `npm start`: options, their validation, and the help text.
import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { LEVELS, type Level, PARAMETERS, wholeOf } from '../../shared/runtime/parameters.ts'

export const USAGE = `Run the whole service on this machine.

  npm start -- [options]

  --port N             listen on this port; 0 for any free port (default 3000)
  --host HOST          also answer to this address of the machine, or to this name, so that containers and other
                       machines can call the service; 0.0.0.0 means all addresses. Traffic is not encrypted: use it
                       only in networks that you trust. May be repeated
  --state DIR          keep the data in this folder (default .local)
  --empty              create no demo content on the first start
  --import FILE        first import an export of this service, or the content of Ghost, WordPress or a folder of
                       Markdown, instead of creating demo content; a repeated start imports what is missing
  --reset              delete the data first
  --limit-scale N      multiply all rate limits by N
  --strict-addresses   refuse webhooks to this machine, as in the cloud
  --log-level LEVEL    lowest level to log: debug, info, warn or error (default info)
  --help               show this help
`

const OPTIONS = {
  port: { type: 'string', default: '3000' },
  host: { type: 'string', multiple: true, default: [] as string[] },
  state: { type: 'string', default: '.local' },
  empty: { type: 'boolean', default: false },
  import: { type: 'string' },
  reset: { type: 'boolean', default: false },
  'limit-scale': { type: 'string' },
  'strict-addresses': { type: 'boolean', default: false },
  'log-level': { type: 'string', default: 'info' },
  help: { type: 'boolean', default: false },
} as const

export class UsageError extends Error {}

export type StartOptions = ReturnType<typeof readOptions>

/** Throws UsageError if an option is unknown or has an invalid value. */
export function readOptions(args: string[]) {
  const values = parse(args)
  if (values.import === '') throw new UsageError('--import takes a file or a folder.')
  if (values.state === '') throw new UsageError('--state takes a folder.')
  return {
    port: readPort(values.port),
    hosts: values.host.map(readHost),
    stateFolder: values.state,
    empty: values.empty,
    importFile: values.import,
    reset: values.reset,
    limitScale: readScale(values['limit-scale']),
    strictAddresses: values['strict-addresses'],
    logLevel: readLevel(values['log-level']),
    help: values.help,
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new UsageError(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}.`)
}

function readHost(text: string): string {
  if (isIP(text) || /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(text)) return text
  throw new UsageError(`--host takes an address or a name without a port, not ${JSON.stringify(text)}.`)
}

function readLevel(text: string): Level {
  const level = LEVELS.find(known => known === text)
  if (level) return level
  throw new UsageError(`--log-level takes ${LEVELS.join(', ')}, not ${JSON.stringify(text)}.`)
}

function readScale(text: string | undefined): string | undefined {
  if (text === undefined || wholeOf(PARAMETERS.LimitScale.pattern).test(text)) return text
  throw new UsageError(`--limit-scale takes a number above 0, not ${JSON.stringify(text)}.`)
}
