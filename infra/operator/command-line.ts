// The command line: all commands, what they are called with, and the help.
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { type Command, flag, placeholderOf, type RawValues, UsageError, value } from './command.ts'
import { BACKUP_COMMANDS } from './commands/backup.ts'
import { DOCTOR_COMMANDS } from './commands/doctor.ts'
import { IMPORT_EXPORT_COMMANDS } from './commands/import-export.ts'
import { MAIL_COMMANDS } from './commands/mail.ts'
import { PERSON_COMMANDS } from './commands/personal-data.ts'
import { REDRIVE_COMMANDS } from './commands/redrive.ts'
import { RESTORE_COMMANDS } from './commands/restore.ts'
import { KEY_COMMANDS } from './commands/rotate-key.ts'
import { SETTINGS_COMMANDS } from './commands/settings.ts'
import { TOKEN_COMMANDS } from './commands/tokens.ts'
import { USER_COMMANDS } from './commands/users.ts'
import { VERIFY_COMMANDS } from './commands/verify-stage.ts'
import { WEBHOOK_COMMANDS } from './commands/webhooks.ts'

/** In the order in which --help lists them. */
export const COMMANDS: Command[] = [
  ...USER_COMMANDS,
  ...PERSON_COMMANDS,
  ...TOKEN_COMMANDS,
  ...SETTINGS_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...MAIL_COMMANDS,
  ...IMPORT_EXPORT_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...REDRIVE_COMMANDS,
  ...BACKUP_COMMANDS,
  ...KEY_COMMANDS,
  ...RESTORE_COMMANDS,
  ...VERIFY_COMMANDS,
]

const CALL = 'npm run operator --'

const GENERAL_OPTIONS = {
  state: value(
    'DIR',
    'local state to work on, whether or not the service runs (default: .local)',
    z._default(z.string(), '.local'),
  ),
  stage: value(
    'NAME',
    'deployed stage to work on instead, with the AWS credentials of this shell',
    z.optional(z.string()),
  ),
  table: value(
    'NAME',
    'with --stage: another table than that of the stage, such as one restored from a backup',
    z.optional(z.string()),
  ),
  json: flag('print the result as JSON, and nothing else, to stdout'),
  version: flag('show the version'),
  help: flag('show help; after a command, for that command'),
}
const General = z.object(GENERAL_OPTIONS)

export type CommandLine = {
  words: string[]
  general: z.output<typeof General>
  /** Throws UsageError if there is no such command or it does not take these values. */
  choose: () => { command: Command; raw: RawValues }
}

/** Accepts the options of all commands at first, since they may come before it. Throws UsageError. */
export function parseWords(args: string[]): CommandLine {
  const { values, positionals: words } = lex(args)
  const general = General.parse(values)
  if (general.table !== undefined && general.stage === undefined) {
    throw new UsageError('--table: Name the stage as well: --stage NAME.')
  }
  const own = Object.entries(values).filter(([name]) => !(name in GENERAL_OPTIONS))
  return { words, general, choose: () => choose(words, Object.fromEntries(own)) }
}

function lex(args: string[]) {
  const schemas = Object.assign({}, GENERAL_OPTIONS, ...COMMANDS.map(({ options }) => options))
  const options = Object.fromEntries(
    Object.entries<Command['options'][string]>(schemas).map(([name, schema]) => {
      const type = placeholderOf(schema) === undefined ? ('boolean' as const) : ('string' as const)
      return [name, { type }]
    }),
  )
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${cause.split('. ')[0]}. Show the options: ${CALL} COMMAND --help`)
  }
}

function choose(words: string[], options: RawValues) {
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, n) => words[n] === word))
  if (!command) throw new UsageError(unknownCommand(words))
  const usage = `\n  ${CALL} ${synopsis(command)}`
  const values = words.slice(command.name.split(' ').length)
  const args = Object.entries(command.args)
  const repeated = args.findIndex(([, schema]) => placeholderOf(schema)?.endsWith('...'))
  if (values.length > args.length && repeated < 0) {
    throw new UsageError(`${command.name} does not take "${values[args.length]}".${usage}`)
  }
  const foreign = Object.keys(options).find(name => !(name in command.options))
  if (foreign) throw new UsageError(`${command.name} does not take --${foreign}.${usage}`)
  const given = args.map(([name], n) => [name, n === repeated ? values.slice(n) : values[n]] as const)
  return { command, raw: { ...Object.fromEntries(given), ...options } }
}

function unknownCommand(words: string[]): string {
  const names = COMMANDS.map(({ name }) => name)
  const group = names.filter(name => name.split(' ')[0] === words[0])
  const lead =
    words.length === 0
      ? 'Name a command'
      : `There is no command "${words.slice(0, 2).join(' ')}". Choose from`
  return `${lead}: ${(group.length > 0 ? group : names).join(', ')}.\nShow all commands: ${CALL} --help`
}

function inBrackets(text: string, schema: z.ZodMiniType): string {
  return schema.safeParse(undefined).success ? `[${text}]` : text
}

/** `user ban EMAIL` */
function callOf({ name, args }: Command): string {
  const values = Object.values(args).map(schema => inBrackets(placeholderOf(schema) ?? '', schema))
  return [name, ...values].join(' ')
}

/** `user ban EMAIL [--reason TEXT]` */
function synopsis(command: Command): string {
  const options = Object.entries(command.options)
  return [
    callOf(command),
    ...options.map(([name, schema]) => inBrackets(optionText(name, schema), schema)),
  ].join(' ')
}

function optionText(name: string, schema: z.ZodMiniType): string {
  const placeholder = placeholderOf(schema)
  return placeholder ? `--${name} ${placeholder}` : `--${name}`
}

type Row = [left: string, right: string]
const MAX_LEFT_COLUMN = 34

function twoColumns(rows: Row[]): string {
  const longest = rows.reduce((width, [left]) => Math.max(width, left.length), 0)
  const width = Math.min(MAX_LEFT_COLUMN, longest)
  const lines = rows.map(([left, right]) =>
    left.length > width
      ? `  ${left}\n${' '.repeat(width + 4)}${right}`
      : `  ${left.padEnd(width + 2)}${right}`,
  )
  return `${lines.join('\n')}\n\n`
}

function optionRows(options: Record<string, z.ZodMiniType>): Row[] {
  return Object.entries(options).map(([name, schema]) => [optionText(name, schema), descriptionOf(schema)])
}

function descriptionOf(schema: z.ZodMiniType): string {
  return z.globalRegistry.get(schema)?.description ?? ''
}

/** Help for the commands whose names start with these words; for all if there are none. */
export function helpOf(words: string[]): string {
  const matching = COMMANDS.filter(({ name }) => words.every((word, n) => name.split(' ')[n] === word))
  const general = `Options of every command:\n${twoColumns(optionRows(GENERAL_OPTIONS))}`.trimEnd()
  const [only] = matching
  if (only && matching.length === 1) return `${helpOfOne(only)}${general}\n`
  const shown = matching.length > 0 ? matching : COMMANDS
  const rows = shown.map((command): Row => [synopsis(command), command.summary])
  return `The owner's command line.\n\n  ${CALL} COMMAND\n\n${twoColumns(rows)}${general}\n`
}

function helpOfOne(command: Command): string {
  const args = Object.values(command.args).map(
    (schema): Row => [placeholderOf(schema) ?? '', descriptionOf(schema)],
  )
  const rows = [...args, ...optionRows(command.options)]
  return [
    `${command.summary}.\n\n  ${CALL} ${synopsis(command)}\n\n`,
    command.details ? `${command.details}\n\n` : '',
    rows.length > 0 ? twoColumns(rows) : '',
  ].join('')
}

/** A Markdown table of the commands without their options, for the README. */
export function helpTable(): string {
  const rows = COMMANDS.map(command => `| \`${callOf(command)}\` | ${command.summary} |`)
  return ['| Command | What it does |', '|---|---|', ...rows].join('\n')
}
