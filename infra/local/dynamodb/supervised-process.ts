// Starts a database under the keeper, behind a door, and watches over it from the service's side.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { listen, portOf } from '../door/door.ts'
import { formatEndpoint } from '../door/endpoint.ts'
import { signal } from '../processes.ts'
import type { Upstream } from './supervisor.ts'

export type SupervisedProcess = {
  /** Of its door. */
  endpoint: string
  /** Of the command itself, not of its keeper. */
  pid: number
  /** Settles when the command has ended, whoever ended it; with what it last said on stderr. */
  ended: Promise<string>
  hasEnded(): boolean
  stop(): Promise<void>
}

const supervisorFile = fileURLToPath(new URL('./supervisor.ts', import.meta.url))
const TAIL_LENGTH = 2000

/**
 * @param prefix what the keeper itself is started with, such as a network of its own.
 * @param upstream where the command listens, and the key to its door.
 * Throws, with the command's own words, when it cannot be started.
 */
export async function startSupervised(
  command: string[],
  prefix: string[],
  upstream: Upstream,
): Promise<SupervisedProcess> {
  const door = await listen()
  const endpoint = formatEndpoint(portOf(door), upstream.key)
  const [file = '', ...args] = [...prefix, process.execPath, supervisorFile, ...command]
  // A group of its own, so that a terminal's Ctrl-C reaches the service first.
  const supervisor = spawn(file, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })
  let stderrTail = ''
  supervisor.stderr?.setEncoding('utf8').on('data', text => {
    stderrTail = (stderrTail + text).slice(-TAIL_LENGTH)
  })
  supervisor.stdin?.on('error', () => {})
  supervisor.on('error', error => {
    stderrTail += error.message
  })
  let over = false
  let pid: number | undefined
  // A keeper that was killed had no time to end its command.
  supervisor.on('exit', (_code, killedBy) => {
    if (killedBy && pid) signal(pid, 'SIGTERM')
  })
  const ended = once(supervisor, 'close').then(() => {
    over = true
    return stderrTail.trim()
  })

  pid = await Promise.race([
    pidOf(supervisor),
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
      supervisor.stdin?.end()
      await ended
    },
  }

  async function pidOf({ stdout }: ChildProcess): Promise<number> {
    supervisor.send(upstream, door)
    const [data] = stdout ? await once(stdout, 'data') : []
    return Number(String(data))
  }
}
