// Parses a command line into a command and its values.
import { parseArgs } from 'node:util'
import { type Command, isRepeated, placeholderOf, type RawValues } from './command.ts'
import { GENERAL_OPTIONS } from './general-options.ts'
import { CALL, synopsis } from './help.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './operator-error.ts'

export type CommandLine = {
  words: string[]
  general: {
    state: string
    stage: string | undefined
    table: string | undefined
    json: boolean
    help: boolean
    version: boolean
  }
  /** Throws UsageError if there is no such command or it does not take these values. */
  choose: () => { command: Command; raw: RawValues }
}

/** Accepts the options of all commands at first, since they may come before it. Throws UsageError. */
export function parseWords(commands: Command[], argv: string[]): CommandLine {
  const { values, positionals } = lex(commands, argv)
  const { state, stage, table, json, help, version, ...others } = values
  if (table !== undefined && stage === undefined) {
    throw new UsageError('--table: Name the stage as well: --stage NAME.')
  }
  return {
    words: positionals,
    general: {
      state: textOf(state) ?? '.local',
      stage: textOf(stage),
      table: textOf(table),
      json: json === true,
      help: help === true,
      version: version === true,
    },
    choose: () => choose(commands, positionals, others),
  }
}

function textOf(value: RawValues[string]) {
  return typeof value === 'string' ? value : undefined
}

function lex(commands: Command[], args: string[]): { values: RawValues; positionals: string[] } {
  const schemas = Object.assign({}, GENERAL_OPTIONS, ...commands.map(({ options }) => options))
  const options = Object.fromEntries(
    Object.entries<Command['options'][string]>(schemas).map(([name, schema]) => {
      const type = placeholderOf(schema) === undefined ? ('boolean' as const) : ('string' as const)
      return [name, { type }]
    }),
  )
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { values: Object.fromEntries(Object.entries(values)), positionals }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${cause.split('. ')[0]}. Show the options: ${CALL} COMMAND --help`)
  }
}

function choose(commands: Command[], words: string[], options: RawValues) {
  const command = commands
    .filter(({ name }) => name.split(' ').every((word, n) => words[n] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
  if (!command) throw new UsageError(unknownCommand(commands, words))
  const usage = `\n  ${CALL} ${synopsis(command)}`
  const values = words.slice(command.name.split(' ').length)
  const names = Object.keys(command.args)
  const repeated = names.findIndex(name => isRepeated(command.args[name]))
  if (values.length > names.length && repeated < 0) {
    throw new UsageError(`${command.name} does not take "${values[names.length]}".${usage}`)
  }
  const foreign = Object.keys(options).find(name => !(name in command.options))
  if (foreign) throw new UsageError(`${command.name} does not take --${foreign}.${usage}`)
  const args = Object.fromEntries(
    names.map((name, n) => [name, n === repeated ? values.slice(n) : values[n]]),
  )
  return { command, raw: { ...args, ...options } }
}

function unknownCommand(commands: Command[], words: string[]): string {
  const names = commands.map(({ name }) => name)
  const name = words.slice(0, 2).join(' ')
  const similar = nearest(name, names)
  const group = names.filter(name => name.split(' ')[0] === words[0])
  const shown = group.length > 0 ? group : similar.length > 0 ? similar : names
  const lead = name === '' ? 'Name a command' : `There is no command "${name}". Choose from`
  return `${lead}: ${shown.join(', ')}.\nShow all commands: ${CALL} --help`
}
