// The command line of `npm run prove -- STAGE`.
import { parseArgs } from 'node:util'
import { UsageError } from '../operator/operator-error.ts'

export const USAGE = `npm run prove -- STAGE --email EMAIL [--url URL] [--only TEXT]

Checks on a deployed stage what only AWS can show, with the AWS credentials of this shell.

  --email EMAIL  an account of the stage: it gets an admin token, which is revoked at the end
  --url URL      where the stage answers, if not at its own address
  --only TEXT    only the checks whose names contain the text
  --help         show this

It creates an empty category that readers can see for some seconds, and items that only it reads;
it deletes all of them, after Ctrl-C as well; a second Ctrl-C ends it at once and prints what is left.
No event fires. Exit code: 0, 1 if something did not hold, 2 for a wrong call, 130 after Ctrl-C.`

export type ProveArguments = { stage: string; email: string; url: string | undefined; only: string }

/** Undefined for a call for help. Throws UsageError. */
export function readArguments(argv: string[]): ProveArguments | undefined {
  const { values, positionals } = parse(argv)
  if (values.help) return undefined
  const [stage, ...others] = positionals
  if (stage === undefined) throw new UsageError('Name a stage: npm run prove -- live --email EMAIL')
  if (others.length > 0) throw new UsageError(`Name one stage: ${others.join(' ')} is too much.`)
  const { email, url, only = '' } = values
  if (email === undefined) {
    throw new UsageError(
      `Name an account with --email. To create one: npm run operator -- user create --stage ${stage}`,
    )
  }
  if (url !== undefined && !/^https?:\/\/[^/]+/.test(url)) {
    throw new UsageError('--url: must begin with http:// or https:// and a host.')
  }
  return { stage, email, url: url?.replace(/\/$/, ''), only }
}

function parse(argv: string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: argv,
      options: { email: text, url: text, only: text, help: { type: 'boolean' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
