// What the command line says of itself: all commands, a group of them, or one.
import type * as z from 'zod/mini'
import { type Command, isNeeded, placeholderOf, saysOf } from './command.ts'
import { GENERAL } from './general.ts'

export const CALL = 'npm run operator --'

/** `user ban EMAIL [--reason TEXT]` */
export function synopsis({ name, args, options }: Command): string {
  return [
    name,
    ...Object.values(args).map(schema => {
      const placeholder = placeholderOf(schema) ?? ''
      return isNeeded(schema) ? placeholder : `[${placeholder}]`
    }),
    ...Object.entries(options).map(([name, schema]) => {
      const written = writtenOption(name, schema)
      return isNeeded(schema) ? written : `[${written}]`
    }),
  ].join(' ')
}

function writtenOption(name: string, schema: z.ZodMiniType): string {
  const placeholder = placeholderOf(schema)
  return placeholder ? `--${name} ${placeholder}` : `--${name}`
}

function columns(rows: [string, string][], most = 34): string {
  const width = Math.min(
    most,
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
  return Object.entries(options).map(([name, schema]) => [writtenOption(name, schema), saysOf(schema)])
}

function generalOptions(): string {
  return `On every command:\n${columns(optionRows(GENERAL))}\n`
}

/** Those whose names begin with these words; all of them without any. */
export function helpOf(commands: Command[], words: string[]): string {
  const wanted = commands.filter(({ name }) => words.every((word, n) => name.split(' ')[n] === word))
  const [only] = wanted
  if (only && wanted.length === 1) return helpOfOne(only)
  const shown = wanted.length > 0 ? wanted : commands
  const rows = shown.map((each): [string, string] => [synopsis(each), each.summary])
  return `The owner's command line.\n\n  ${CALL} COMMAND\n\n${columns(rows)}\n\n${generalOptions()}`
}

function helpOfOne(command: Command): string {
  const args = Object.values(command.args).map((schema): [string, string] => [
    placeholderOf(schema) ?? '',
    saysOf(schema),
  ])
  const rows = [...args, ...optionRows(command.options)]
  return [
    `${command.summary}.\n\n  ${CALL} ${synopsis(command)}\n\n`,
    ...(command.more ? [`${command.more}\n\n`] : []),
    ...(rows.length > 0 ? [`${columns(rows)}\n\n`] : []),
    generalOptions(),
  ].join('')
}

/** The commands as a table in Markdown. */
export function helpTable(commands: Command[]): string {
  return ['| command | what it does |', '|---|---|']
    .concat(commands.map(each => `| \`${synopsis(each)}\` | ${each.summary} |`))
    .join('\n')
}
