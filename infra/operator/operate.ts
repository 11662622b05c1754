// One call of the command line. Exit codes: 0 for done, 1 for failed or not in order, 2 for a wrong call.
import manifest from '../../package.json' with { type: 'json' }
import { ApiError } from '../../shared/http/errors.ts'
import { COMMANDS } from './commands.ts'
import { printable } from './escape.ts'
import { helpOf } from './help.ts'
import { OperatorError, UsageError } from './operator-error.ts'
import { parseWords } from './parse.ts'
import { openProgress } from './progress.ts'
import type { Target } from './target.ts'

type Screen = { isTTY?: boolean; write: (text: string) => unknown }

/** Everything that a call reads from or writes to its process. */
export type ProcessIo = {
  out: Screen
  err: Screen
  clock: () => number
  readStdin: () => Promise<string>
  writeOut: (text: string) => Promise<void>
  openTarget: (where: {
    state: string
    stage: string | undefined
    table: string | undefined
  }) => Promise<Target>
}

export async function operate(argv: string[], io: ProcessIo): Promise<number> {
  try {
    return await run(argv, io)
  } catch (error) {
    io.err.write(`${messageOf(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/** Validates the arguments before it opens anything. */
async function run(argv: string[], { out, err, clock, readStdin, writeOut, openTarget }: ProcessIo) {
  const { words, general, choose } = parseWords(COMMANDS, argv)
  if (general.help) {
    out.write(helpOf(COMMANDS, words))
    return 0
  }
  if (general.version) {
    out.write(`${manifest.version}\n`)
    return 0
  }
  const { command, raw } = choose()
  const nowMs = clock()
  const nowSeconds = Math.floor(nowMs / 1000)
  const act = command.prepare(raw, nowSeconds)
  const target = await openTarget(general)
  const progress = openProgress(err, clock)
  try {
    err.write(`Working on ${target.label}.\n`)
    const context = { target, nowMs, nowSeconds, progress, readStdin, writeOut }
    const { lines, json, failed, warning } = await act(context).finally(progress.clear)
    const text = general.json ? JSON.stringify(json, null, 2) : lines.map(printable).join('\n')
    if (text !== '') out.write(`${text}\n`)
    if (warning) err.write(`${warning}\n`)
    return failed ? 1 : 0
  } finally {
    await target.close()
  }
}

/** Errors of the SDK say only in their name what they are. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const hasFullMessage = error instanceof OperatorError || error instanceof ApiError || error.name === 'Error'
  return hasFullMessage ? error.message : `${error.name}: ${error.message}`
}
