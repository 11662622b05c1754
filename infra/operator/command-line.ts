// The command line: all commands, what they are called with, and the help.
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { type Command, flag, optionalText, placeholderOf, UsageError, type Values, value } from './command.ts'
import { backup } from './commands/backup.ts'
import { doctor } from './commands/doctor.ts'
import { IMPORT_EXPORT_COMMANDS } from './commands/import-export.ts'
import { mailRefused } from './commands/mail.ts'
import { PERSON_COMMANDS } from './commands/personal-data.ts'
import { redrive } from './commands/redrive.ts'
import { restore } from './commands/restore.ts'
import { rotateKey } from './commands/rotate-key.ts'
import { settingsSet } from './commands/settings.ts'
import { TOKEN_COMMANDS } from './commands/tokens.ts'
import { USER_COMMANDS } from './commands/users.ts'
import { verifyStage } from './commands/verify-stage.ts'
import { WEBHOOK_COMMANDS } from './commands/webhooks.ts'

/** In the order in which --help lists them. */
export const COMMANDS: Command[] = [
  ...USER_COMMANDS,
  ...PERSON_COMMANDS,
  ...TOKEN_COMMANDS,
  settingsSet,
  ...WEBHOOK_COMMANDS,
  mailRefused,
  ...IMPORT_EXPORT_COMMANDS,
  doctor,
  redrive,
  backup,
  rotateKey,
  restore,
  verifyStage,
]

const CALL = 'npm run operator --'

const GENERAL = {
  state: value(
    'DIR',
    'local state to work on, whether or not the service runs (default: .local)',
    z._default(z.string(), '.local'),
  ),
  stage: optionalText('NAME', 'deployed stage to work on instead, with the AWS credentials of this shell'),
  table: optionalText(
    'NAME',
    'with --stage: another table than that of the stage, such as one restored from a backup',
  ),
  json: flag('print the result as JSON, and nothing else, to stdout'),
  help: flag('show help; after a command, for that command'),
}
const General = z.object(GENERAL)
export type General = z.output<typeof General>

type CommandLine =
  | { answer: string }
  | {
      answer?: undefined
      general: General
      /** Validates the values of the command, and returns what runs it. */
      prepare: (nowSeconds: number) => ReturnType<Command['prepare']>
    }

/** Returns a command, or the answer to `--help`. Throws UsageError. */
export function readCommandLine(args: string[]): CommandLine {
  const { values: asked, words } = lex(args, GENERAL, false)
  if (asked.help) return { answer: helpOf(words) }
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, n) => words[n] === word))
  if (!command) throw new UsageError(unknownCommand(words))
  const given = lex(args, { ...GENERAL, ...command.options }, true)
  const general = General.parse(given.values)
  if (general.table !== undefined && general.stage === undefined) {
    throw new UsageError('--table: Name the stage as well: --stage NAME.')
  }
  const own = argumentsOf(command, given.words.slice(command.name.split(' ').length))
  const values = { ...given.values, ...own }
  return { general, prepare: nowSeconds => command.prepare(values, nowSeconds) }
}

/** The options by name, and the words between them. Only known options are accepted if it is strict. */
function lex(
  args: string[],
  known: Values,
  strict: boolean,
): { values: Record<string, unknown>; words: string[] } {
  const options = Object.entries(known).map(([name, schema]) => {
    const type = placeholderOf(schema) === undefined ? ('boolean' as const) : ('string' as const)
    return [name, { type }] as const
  })
  try {
    const config = { args, options: Object.fromEntries(options), allowPositionals: true, strict }
    const { values, positionals } = parseArgs(config)
    return { values, words: positionals }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${cause.split('. ')[0]}. Show the options: ${CALL} COMMAND --help`)
  }
}

function argumentsOf(command: Command, words: string[]): Record<string, string | string[] | undefined> {
  const args = Object.entries(command.args)
  const repeated = args.findIndex(([, schema]) => placeholderOf(schema)?.endsWith('...'))
  if (words.length > args.length && repeated < 0) {
    const usage = `\n  ${CALL} ${synopsis(command)}`
    throw new UsageError(`${command.name} does not take "${words[args.length]}".${usage}`)
  }
  return Object.fromEntries(args.map(([name], n) => [name, n === repeated ? words.slice(n) : words[n]]))
}

function unknownCommand(words: string[]): string {
  const called = words.slice(0, 2).join(' ')
  const lead = called === '' ? 'Name a command' : `There is no command "${called}". Choose from`
  return `${lead}: ${COMMANDS.map(({ name }) => name).join(', ')}.\nShow all commands: ${CALL} --help`
}

function inBrackets(text: string, schema: z.ZodMiniType): string {
  return schema.safeParse(undefined).success ? `[${text}]` : text
}

/** `token revoke EMAIL [ID] [--all]` */
function synopsis({ name, args, options }: Command): string {
  const values = Object.values(args).map(schema => inBrackets(placeholderOf(schema) ?? '', schema))
  const named = Object.entries(options).map(([name, schema]) => inBrackets(optionText(name, schema), schema))
  return [name, ...values, ...named].join(' ')
}

function optionText(name: string, schema: z.ZodMiniType): string {
  return `--${name} ${placeholderOf(schema) ?? ''}`.trimEnd()
}

type Row = [what: string, description: string]

function textOf(rows: Row[]): string {
  return rows.map(([what, description]) => `  ${what}\n      ${description}`).join('\n')
}

function rowsOf(values: Values, nameOf: (name: string, schema: z.ZodMiniType) => string): Row[] {
  return Object.entries(values).map(([name, schema]) => [
    nameOf(name, schema),
    z.globalRegistry.get(schema)?.description ?? '',
  ])
}

/** Help for the commands whose names start with these words; for all if there are none. */
function helpOf(words: string[]): string {
  const matching = COMMANDS.filter(({ name }) => words.every((word, n) => name.split(' ')[n] === word))
  const shown = matching.length > 0 ? matching : COMMANDS
  const general = `Options of every command:\n${textOf(rowsOf(GENERAL, optionText))}`
  const [only] = shown.length === 1 ? shown : []
  if (!only) {
    const rows = shown.map((command): Row => [synopsis(command), command.summary])
    return `The owner's command line.\n\n  ${CALL} COMMAND\n\n${textOf(rows)}\n\n${general}\n`
  }
  const { summary, details, args, options } = only
  const own = [...rowsOf(args, (_, schema) => placeholderOf(schema) ?? ''), ...rowsOf(options, optionText)]
  const parts = [`${summary}.`, `  ${CALL} ${synopsis(only)}`, details ?? '', textOf(own), general]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}
