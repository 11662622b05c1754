// The entry point of `npm run operator`.
import { text } from 'node:stream/consumers'
import { setPrivateUmask } from '../local/state.ts'
import { operate } from './operate.ts'
import { openStageTarget, openStateTarget } from './target.ts'

// A reader may close the pipe early, as in `user list | head -2`.
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
