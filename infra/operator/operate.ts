// One call of the command line, from its words to its exit code: 0 done, 1 failed or not in order, 2 used wrongly.
import manifest from '../../package.json' with { type: 'json' }
import { ApiError } from '../../shared/http/errors.ts'
import { OperatorError, UsageError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpOf } from './help.ts'
import { parseWords } from './parse.ts'
import { printable } from './printable.ts'
import { openProgress } from './progress.ts'
import type { Target } from './target.ts'

type Screen = { isTTY?: boolean; write: (text: string) => unknown }

/** What a call reaches of the world around it. */
export type Surroundings = {
  out: Screen
  err: Screen
  clock: () => number
  readStdin: () => Promise<string>
  openTarget: (where: { state: string; stage: string | undefined }) => Promise<Target>
}

export async function operate(argv: string[], around: Surroundings): Promise<number> {
  try {
    return await run(argv, around)
  } catch (error) {
    around.err.write(`${wordsOf(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/** Arguments are read before anything is opened: a mistake costs nothing. */
async function run(argv: string[], { out, err, clock, readStdin, openTarget }: Surroundings) {
  const { words, general, chosen } = parseWords(COMMANDS, argv)
  if (general.help) {
    out.write(helpOf(COMMANDS, words))
    return 0
  }
  if (general.version) {
    out.write(`${manifest.version}\n`)
    return 0
  }
  const { command, written } = chosen()
  const nowMs = clock()
  const nowSeconds = Math.floor(nowMs / 1000)
  const act = command.prepare(written, nowSeconds)
  const target = await openTarget(general)
  const progress = openProgress(err, clock)
  try {
    err.write(`Working on ${target.says}.\n`)
    const context = { target, nowMs, nowSeconds, progress, readStdin }
    const { lines, json, failed, warning } = await act(context).finally(progress.clear)
    const text = general.json ? JSON.stringify(json, null, 2) : lines.map(printable).join('\n')
    if (text !== '') out.write(`${text}\n`)
    if (warning) err.write(`${warning}\n`)
    return failed ? 1 : 0
  } finally {
    await target.close()
  }
}

/** Our own say what to do; those of the SDK say what they are in their name only. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isOurs = error instanceof OperatorError || error instanceof ApiError || error.name === 'Error'
  return isOurs ? error.message : `${error.name}: ${error.message}`
}
