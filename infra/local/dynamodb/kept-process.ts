// Starts a command under the keeper and watches over it from the service's side.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { signal } from '../processes.ts'

export type KeptProcess = {
  /** Of the command itself, not of its keeper. */
  pid: number
  /** Settles when the command has ended, whoever ended it; with what it last said on stderr. */
  ended: Promise<string>
  hasEnded(): boolean
  stop(): Promise<void>
}

const keeperFile = fileURLToPath(new URL('./keeper.ts', import.meta.url))
const tailLength = 2000

/** Throws, with the command's own words, when it cannot be started. */
export async function startKept(command: string, args: string[]): Promise<KeptProcess> {
  // A group of its own, so that a terminal's Ctrl-C reaches the service first.
  const keeper = spawn(process.execPath, [keeperFile, command, ...args], { detached: true })
  let said = ''
  keeper.stderr.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-tailLength)
  })
  keeper.stdin.on('error', () => {})
  let over = false
  let pid: number | undefined
  // A keeper that was killed had no time to end its command.
  keeper.on('exit', (_code, killedBy) => {
    if (killedBy && pid) signal(pid, 'SIGTERM')
  })
  const ended = once(keeper, 'close').then(() => {
    over = true
    return said.trim()
  })

  pid = await Promise.race([
    once(keeper.stdout, 'data').then(([data]) => Number(String(data))),
    ended.then(words => {
      throw new Error(`${command} could not be started: ${words}`)
    }),
  ])
  return {
    pid,
    ended,
    hasEnded: () => over,
    async stop() {
      keeper.stdin.end()
      await ended
    },
  }
}
