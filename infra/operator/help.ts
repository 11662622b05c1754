// Help texts: for all commands, for a group of them, or for one.
import type * as z from 'zod/mini'
import { type Command, descriptionOf, isRequired, placeholderOf } from './command.ts'
import { GENERAL_OPTIONS } from './general-options.ts'

export const CALL = 'npm run operator --'

/** `user ban EMAIL [--reason TEXT]` */
export function synopsis({ name, args, options }: Command): string {
  return [
    name,
    ...Object.values(args).map(schema => {
      const placeholder = placeholderOf(schema) ?? ''
      return isRequired(schema) ? placeholder : `[${placeholder}]`
    }),
    ...Object.entries(options).map(([name, schema]) => {
      const text = optionText(name, schema)
      return isRequired(schema) ? text : `[${text}]`
    }),
  ].join(' ')
}

function optionText(name: string, schema: z.ZodMiniType): string {
  const placeholder = placeholderOf(schema)
  return placeholder ? `--${name} ${placeholder}` : `--${name}`
}

function columns(rows: [string, string][], maxWidth = 34): string {
  const width = Math.min(
    maxWidth,
    rows.reduce((longest, [left]) => Math.max(longest, left.length), 0),
  )
  const blank = ' '.repeat(width + 4)
  return rows
    .map(([left, right]) =>
      left.length > width ? `  ${left}\n${blank}${right}` : `  ${left.padEnd(width + 2)}${right}`,
    )
    .join('\n')
}

function optionRows(options: Record<string, z.ZodMiniType>): [string, string][] {
  return Object.entries(options).map(([name, schema]) => [optionText(name, schema), descriptionOf(schema)])
}

function generalOptions(): string {
  return `Options of every command:\n${columns(optionRows(GENERAL_OPTIONS))}\n`
}

/** Help for the commands whose names start with these words; for all if there are none. */
export function helpOf(commands: Command[], words: string[]): string {
  const matching = commands.filter(({ name }) => words.every((word, n) => name.split(' ')[n] === word))
  const [only] = matching
  if (only && matching.length === 1) return helpOfOne(only)
  const shown = matching.length > 0 ? matching : commands
  const rows = shown.map((command): [string, string] => [synopsis(command), command.summary])
  return `The owner's command line.\n\n  ${CALL} COMMAND\n\n${columns(rows)}\n\n${generalOptions()}`
}

function helpOfOne(command: Command): string {
  const args = Object.values(command.args).map((schema): [string, string] => [
    placeholderOf(schema) ?? '',
    descriptionOf(schema),
  ])
  const rows = [...args, ...optionRows(command.options)]
  return [
    `${command.summary}.\n\n  ${CALL} ${synopsis(command)}\n\n`,
    ...(command.details ? [`${command.details}\n\n`] : []),
    ...(rows.length > 0 ? [`${columns(rows)}\n\n`] : []),
    generalOptions(),
  ].join('')
}

/** A Markdown table of the commands, for the README. */
export function helpTable(commands: Command[]): string {
  return ['| Command | What it does |', '|---|---|']
    .concat(commands.map(command => `| \`${synopsis(command)}\` | ${command.summary} |`))
    .join('\n')
}
