// What a command of the owner's command line is: declared once, for parsing, for --help and for the README.
import * as z from 'zod/mini'
import '../../shared/http/zod-messages.ts'
import type { Progress } from './progress.ts'
import type { Target } from './target.ts'

/** What went wrong and what to do, told without a stack. */
export class OperatorError extends Error {}
/** The caller's own mistake, found before anything was opened or done. */
export class UsageError extends OperatorError {}

/** Lines for people and the same as JSON; `failed`: it ran, and what it found is not in order. */
export type Result = { lines: string[]; json: unknown; failed?: boolean; warning?: string | undefined }

export type Context = {
  target: Target
  nowMs: number
  nowSeconds: number
  progress: Progress
  /** All of stdin without its last line end: for what must not stand in a list of processes. */
  readStdin: () => Promise<string>
}

/** A value of the command line, by its place or by its name. */
export function value<Schema extends z.ZodMiniType>(
  placeholder: string,
  says: string,
  schema: Schema,
): Schema {
  return schema.check(z.meta({ description: says, placeholder }))
}

/** An option that takes no value. */
export function flag(says: string) {
  return z._default(z.boolean(), false).check(z.meta({ description: says }))
}

/** Undefined for a flag. */
export function placeholderOf(schema: z.ZodMiniType): string | undefined {
  const placeholder = z.globalRegistry.get(schema)?.placeholder
  return typeof placeholder === 'string' ? placeholder : undefined
}

export function saysOf(schema: z.ZodMiniType): string {
  return z.globalRegistry.get(schema)?.description ?? ''
}

export function isNeeded(schema: z.ZodMiniType): boolean {
  return !schema.safeParse(undefined).success
}

type Values = Record<string, z.ZodMiniType>
type Nothing = Record<never, z.ZodMiniType>
/** What was written, before anybody looked at it. */
export type Written = Record<string, string | boolean | undefined>

export type Command = {
  /** The words that call it: `user ban`. */
  name: string
  summary: string
  /** What `--help` says beyond the summary. */
  more?: string
  /** By place, in this order. */
  args: Values
  options: Values
  /** Looks at what was written; runs it later, when there is something to run it on. Throws UsageError. */
  prepare: (written: Written, nowSeconds: number) => (context: Context) => Promise<Result>
}

type Given<Args extends Values, Options extends Values> = z.output<z.ZodMiniObject<Args & Options>>

type Declared<Args extends Values, Options extends Values> = Pick<Command, 'name' | 'summary' | 'more'> & {
  args?: Args
  options?: Options
  /** What makes a mistake of values that are right one by one; undefined where they are none. */
  faultOf?: (given: Given<Args, Options>, nowSeconds: number) => string | undefined
  run: (given: Given<Args, Options>, context: Context) => Promise<Result>
}

export function command<Args extends Values = Nothing, Options extends Values = Nothing>(
  declared: Declared<Args, Options>,
): Command {
  const { args, options, faultOf = () => undefined, run, ...words } = declared
  // Left out, each is nothing, which is what its type parameter then stands for.
  const shape = { ...args, ...options } as Args & Options
  const Given = z.object(shape)
  return {
    ...words,
    args: args ?? {},
    options: options ?? {},
    prepare: (written, nowSeconds) => {
      const { data, error } = Given.safeParse(written)
      if (error) throw new UsageError(error.issues.map(issue => wordsOf(issue, args ?? {})).join('\n'))
      const fault = faultOf(data, nowSeconds)
      if (fault !== undefined) throw new UsageError(fault)
      return context => run(data, context)
    },
  }
}

function wordsOf({ path, message }: z.core.$ZodIssue, args: Values): string {
  const name = String(path[0])
  const schema = args[name]
  return `${(schema && placeholderOf(schema)) ?? `--${name}`}: ${message}`
}
