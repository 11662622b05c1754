// A command: what it works with, and its declaration, from which parsing, --help and the README derive.
import * as z from 'zod/mini'
import '../../shared/http/zod-messages.ts'
import { startUnitOfWork, type UnitOfWork } from '../../shared/events/unit-of-work.ts'
import { siteUrlOf } from '../../shared/site/settings.ts'
import { currentSettings } from '../../shared/site/store.ts'
import type { Target } from './target.ts'
import { type Progress, UsageError } from './terminal.ts'

export { OperatorError, UsageError } from './terminal.ts'

/** The same result as lines and as JSON; a line is a text, or the columns of a row. */
export type Result = {
  lines: (string | unknown[])[]
  json: unknown
  /** The command ran but something is not in order. */
  failed?: boolean
  warning?: string | undefined
}

export type Context = {
  target: Target
  nowMs: number
  nowSeconds: number
  progress: Progress
  /** All of stdin without its last line end: for secrets, which must not appear in a list of processes. */
  readStdin: () => Promise<string>
  /** Writes to stdout before the result, and waits until it is taken. */
  writeOut: (text: string) => Promise<void>
}

/**
 * Commits as the service does, so that changes by the operator fire the same events. Nothing is logged if a
 * queue does not answer: the sweep sends its messages within two minutes.
 */
export function unitOfWorkOf({ target, nowMs }: Pick<Context, 'target' | 'nowMs'>): UnitOfWork {
  return startUnitOfWork({
    table: target.table,
    sender: target.sender,
    nowMs,
    clock: Date.now,
    requestId: 'operator',
    siteUrl: async () => siteUrlOf(await currentSettings(target.table, nowMs), target.ownUrl),
    log: () => undefined,
  })
}

/** An argument, or an option with a value. */
export function value<Schema extends z.ZodMiniType>(
  placeholder: string,
  description: string,
  schema: Schema,
): Schema {
  return schema.check(z.meta({ description, placeholder }))
}

export function optionalText(placeholder: string, description: string) {
  return value(placeholder, description, z.optional(z.string()))
}

/** An option without a value. */
export function flag(description: string) {
  return z._default(z.boolean(), false).check(z.meta({ description }))
}

/** The id of a record. `list` is the command that shows them all. */
export function numberOf(what: string, list: string) {
  const digits = z.regex(/^[1-9]\d{0,14}$/, `Must be the number of a ${what}. List them: ${list}`)
  return z.pipe(z.string('Is required.').check(digits), z.transform(Number))
}

/** Undefined for a flag. */
export function placeholderOf(schema: z.ZodMiniType): string | undefined {
  const placeholder = z.globalRegistry.get(schema)?.placeholder
  return typeof placeholder === 'string' ? placeholder : undefined
}

/** Arguments or options by name. */
export type Values = Record<string, z.ZodMiniType>
type NoValues = Record<never, z.ZodMiniType>

type ParsedValues<Args extends Values, Options extends Values> = z.output<z.ZodMiniObject<Args & Options>>

type Declaration<Args extends Values, Options extends Values> = {
  /** The words that call it: `token list`. */
  name: string
  summary: string
  /** Shown by `--help` below the summary. */
  details?: string
  /** In the order in which they are written. The last one may take several values: `FILE...`. */
  args?: Args
  options?: Options
  /** Returns what is wrong with values that are each valid but not together. */
  problemOf?: (values: ParsedValues<Args, Options>, nowSeconds: number) => string | undefined
  run: (values: ParsedValues<Args, Options>, context: Context) => Promise<Result>
}

export type Command = ReturnType<typeof command>

export function command<Args extends Values = NoValues, Options extends Values = NoValues>(
  declaration: Declaration<Args, Options>,
) {
  const { args, options, problemOf = () => undefined, run, ...texts } = declaration
  const declared: { args: Values; options: Values } = { args: args ?? {}, options: options ?? {} }
  // `args` and `options` are left out only where their type parameter is NoValues.
  const schema = z.object({ ...args, ...options } as Args & Options)
  /** Validates the values and returns the function that runs the command. Throws UsageError. */
  const prepare = (values: Record<string, unknown>, nowSeconds: number) => {
    const { data, error } = schema.safeParse(values)
    if (error) throw new UsageError(error.issues.map(issue => messageOf(issue, declared.args)).join('\n'))
    const problem = problemOf(data, nowSeconds)
    if (problem !== undefined) throw new UsageError(problem)
    return (context: Context) => run(data, context)
  }
  return { ...texts, ...declared, prepare }
}

function messageOf({ path, message }: z.core.$ZodIssue, args: Values): string {
  const name = String(path[0])
  const schema = args[name]
  return `${(schema && placeholderOf(schema)) ?? `--${name}`}: ${message}`
}
