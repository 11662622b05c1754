// Starts a database under the keeper, behind a door, and watches over it from the service's side.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { listen, portOf } from '../door/door.ts'
import { endpointOf } from '../door/endpoint.ts'
import { signal } from '../processes.ts'
import type { Upstream } from './supervisor.ts'

export type KeptProcess = {
  /** Of its door. */
  endpoint: string
  /** Of the command itself, not of its keeper. */
  pid: number
  /** Settles when the command has ended, whoever ended it; with what it last said on stderr. */
  ended: Promise<string>
  hasEnded(): boolean
  stop(): Promise<void>
}

const keeperFile = fileURLToPath(new URL('./supervisor.ts', import.meta.url))
const TAIL_LENGTH = 2000

/**
 * @param prefix what the keeper itself is started with, such as a network of its own.
 * @param upstream where the command listens, and the key to its door.
 * Throws, with the command's own words, when it cannot be started.
 */
export async function startKept(
  command: string[],
  prefix: string[],
  upstream: Upstream,
): Promise<KeptProcess> {
  const door = await listen()
  const endpoint = endpointOf(portOf(door), upstream.key)
  const [file = '', ...args] = [...prefix, process.execPath, keeperFile, ...command]
  // A group of its own, so that a terminal's Ctrl-C reaches the service first.
  const keeper = spawn(file, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })
  let said = ''
  keeper.stderr?.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-TAIL_LENGTH)
  })
  keeper.stdin?.on('error', () => {})
  keeper.on('error', error => {
    said += error.message
  })
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
    pidOf(keeper),
    ended.then(words => {
      throw new Error(`${command[0]} could not be started: ${words}`)
    }),
  ]).finally(() => door.close())
  return {
    endpoint,
    pid,
    ended,
    hasEnded: () => over,
    async stop() {
      keeper.stdin?.end()
      await ended
    },
  }

  async function pidOf({ stdout }: ChildProcess): Promise<number> {
    keeper.send(upstream, door)
    const [data] = stdout ? await once(stdout, 'data') : []
    return Number(String(data))
  }
}
