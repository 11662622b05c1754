// One call of `npm run operator`. Exit codes: 0 for done, 1 for failed or not in order, 2 for a wrong call.
import { text } from 'node:stream/consumers'
import { ApiError } from '../../shared/http/errors.ts'
import { setPrivateUmask } from '../local/state.ts'
import type { Context } from './command.ts'
import { type General, readCommandLine } from './command-line.ts'
import { openStateTarget } from './local-target.ts'
import { openStageTarget } from './stage-target.ts'
import type { Target } from './target.ts'
import { OperatorError, openProgress, printable, type Screen, UsageError } from './terminal.ts'

/** Everything that a call reads from or writes to its process. */
export type ProcessIo = Pick<Context, 'readStdin' | 'writeOut'> & {
  out: Screen
  err: Screen
  clock: () => number
  openTarget: (where: General) => Promise<Target>
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
  const line = readCommandLine(argv)
  if (line.answer !== undefined) {
    out.write(line.answer)
    return 0
  }
  const { general, prepare } = line
  const nowMs = clock()
  const nowSeconds = Math.floor(nowMs / 1000)
  const act = prepare(nowSeconds)
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

/** Errors of the SDK say only in their name what they are, and those of the API in their fields. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const fields = error instanceof ApiError ? Object.entries(error.fields ?? {}) : []
  if (fields.length > 0) return fields.map(([name, faults]) => `${name}: ${faults.join(' ')}`).join('\n')
  const hasFullMessage = error instanceof OperatorError || error instanceof ApiError || error.name === 'Error'
  return hasFullMessage ? error.message : `${error.name}: ${error.message}`
}

if (import.meta.main) {
  // A reader may close the pipe early, as in `webhooks list | head -2`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  setPrivateUmask()
  process.exitCode = await operate(process.argv.slice(2), {
    out: process.stdout,
    err: process.stderr,
    clock: Date.now,
    readStdin: async () => (await text(process.stdin)).replace(/\r?\n$/, ''),
    writeOut: text => new Promise(resolve => process.stdout.write(text, () => resolve())),
    openTarget: ({ stage, table, state }) => (stage ? openStageTarget(stage, table) : openStateTarget(state)),
  })
}
