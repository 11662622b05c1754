// Starts a database under a supervisor process and behind a door: the service's side of supervisor.ts.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '../compiled-code.ts'
import { listen, portOf } from '../door/door.ts'
import { formatEndpoint } from '../door/endpoint.ts'
import { signal } from '../processes.ts'
import type { Upstream } from './supervisor.ts'

export type SupervisedProcess = {
  /** The endpoint of the door. */
  endpoint: string
  /** The process id of the command, not of its supervisor. */
  pid: number
  /** Resolves with the end of stderr when the command has ended for any reason. */
  ended: Promise<string>
  hasEnded(): boolean
  stop(): Promise<void>
}

const supervisorFile = fileURLToPath(new URL('./supervisor.ts', import.meta.url))
const TAIL_LENGTH = 2000
/** The supervisor only passes bytes on. */
const SMALL_HEAP = '--max-semi-space-size=1'

/** Throws the command's output if it cannot be started. */
export async function startSupervised(
  command: string[],
  /** The command that starts the supervisor, for example in a network of its own. */
  prefix: string[],
  /** The address that the command listens on, and the key of its door. */
  upstream: Upstream,
): Promise<SupervisedProcess> {
  const door = await listen()
  const endpoint = formatEndpoint(portOf(door), upstream.key)
  const [file = '', ...args] = [...prefix, process.execPath, SMALL_HEAP, supervisorFile, ...command]
  // A process group of its own, so that only the service receives Ctrl-C.
  const supervisor = spawn(file, args, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...COMPILE_CACHE },
  })
  let stderrTail = ''
  supervisor.stderr?.setEncoding('utf8').on('data', text => {
    stderrTail = (stderrTail + text).slice(-TAIL_LENGTH)
  })
  supervisor.stdin?.on('error', () => {})
  supervisor.on('error', error => {
    stderrTail += error.message
  })
  let isOver = false
  let pid: number | undefined
  // A killed supervisor could not end its command.
  supervisor.on('exit', (_code, killedBy) => {
    if (killedBy && pid) signal(pid, 'SIGTERM')
  })
  const ended = once(supervisor, 'close').then(() => {
    isOver = true
    return stderrTail.trim()
  })

  pid = await Promise.race([
    pidOf(supervisor),
    ended.then(output => {
      throw new Error(`Cannot start ${command[0]}: ${output}`)
    }),
  ]).finally(() => door.close())
  return {
    endpoint,
    pid,
    ended,
    hasEnded: () => isOver,
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
