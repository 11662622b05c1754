// From the words of a command line to a command and what was given to it.
import { parseArgs } from 'node:util'
import { type Command, placeholderOf, UsageError, type Written } from './command.ts'
import { GENERAL } from './general.ts'
import { CALL, synopsis } from './help.ts'
import { nearest } from './nearest.ts'

export type Parsed = {
  words: string[]
  general: { state: string; stage: string | undefined; json: boolean; help: boolean; version: boolean }
  /** Throws UsageError where there is no such command, or it does not take what was given. */
  chosen: () => { command: Command; written: Written }
}

/** Options may stand anywhere, so all commands' options are known at first. Throws UsageError. */
export function parseWords(commands: Command[], argv: string[]): Parsed {
  const { values, positionals } = lex(commands, argv)
  const { state, stage, json, help, version, ...others } = values
  return {
    words: positionals,
    general: {
      state: textOf(state) ?? '.local',
      stage: textOf(stage),
      json: json === true,
      help: help === true,
      version: version === true,
    },
    chosen: () => choose(commands, positionals, others),
  }
}

function textOf(value: string | boolean | undefined) {
  return typeof value === 'string' ? value : undefined
}

function lex(commands: Command[], args: string[]): { values: Written; positionals: string[] } {
  const known = Object.assign({}, GENERAL, ...commands.map(({ options }) => options))
  const options = Object.fromEntries(
    Object.entries<Command['options'][string]>(known).map(([name, schema]) => {
      const type = placeholderOf(schema) === undefined ? ('boolean' as const) : ('string' as const)
      return [name, { type }]
    }),
  )
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { values: Object.fromEntries(Object.entries(values)), positionals }
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${said.split('. ')[0]}. Its options: ${CALL} COMMAND --help`)
  }
}

function choose(commands: Command[], words: string[], options: Written) {
  const command = commands
    .filter(({ name }) => name.split(' ').every((word, n) => words[n] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
  if (!command) throw new UsageError(unknownCommand(commands, words))
  const usage = `\n  ${CALL} ${synopsis(command)}`
  const given = words.slice(command.name.split(' ').length)
  const names = Object.keys(command.args)
  if (given.length > names.length) {
    throw new UsageError(`${command.name} does not take "${given[names.length]}".${usage}`)
  }
  const foreign = Object.keys(options).find(name => !(name in command.options))
  if (foreign) throw new UsageError(`${command.name} does not take --${foreign}.${usage}`)
  const byPlace = Object.fromEntries(names.map((name, n) => [name, given[n]]))
  return { command, written: { ...byPlace, ...options } }
}

function unknownCommand(commands: Command[], words: string[]): string {
  const names = commands.map(({ name }) => name)
  const given = words.slice(0, 2).join(' ')
  const meant = nearest(given, names)
  const group = names.filter(name => name.split(' ')[0] === words[0])
  const shown = group.length > 0 ? group : meant.length > 0 ? meant : names
  const lead = given === '' ? 'Name a command' : `There is no command "${given}". Near it`
  return `${lead}: ${shown.join(', ')}.\nAll of them: ${CALL} --help`
}
