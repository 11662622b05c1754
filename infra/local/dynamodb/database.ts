// The database: a DynamoDB emulator in a process of its own, which ends with the service, even by `kill -9`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, hiddenAddress } from '../addresses.ts'
import { type Emulator, findEmulator } from './emulator.ts'

export type Dynamodb = {
  endpoint: string
  pid: number
  /** Whether other machines can connect to it, which needs no key. */
  isOpenToNetwork: boolean
  /** Resolves with the process's last output if it ends without `stop`; otherwise never. */
  failed: Promise<string>
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 90_000
const STOP_TIMEOUT_MS = 3_000
const ATTEMPTS = 5
const TAIL_LENGTH = 2_000

/** Without `databaseFile` data is in memory. Throws if this machine has no DynamoDB emulator that starts. */
export async function startDynamodb(databaseFile?: string): Promise<Dynamodb> {
  const emulator = await findEmulator()
  const folder = databaseFile && emulator.dataFolder(databaseFile)
  if (folder) await mkdir(folder, { recursive: true })
  for (let attempt = 1; ; attempt++) {
    const started = await startProcess(emulator, databaseFile)
    if (await waitUntilReady(emulator, started)) return started

    // Another process may have taken the free port in the meantime.
    const lastOutput = await started.failed
    if (attempt === ATTEMPTS) throw new Error(`${emulator.name} does not start: ${lastOutput}`)
  }
}

/** Ends its command when its input closes, as the system does it for a process that was killed. */
const SUPERVISOR = `exec 3<&0
"$@" 3<&- </dev/null >/dev/null & database=$!
echo $database
{ cat; kill $database; } <&3 >/dev/null 2>&1 &
exec 3<&-
wait $database`

type StartedProcess = Dynamodb & { hasEnded(): boolean }

async function startProcess(emulator: Emulator, databaseFile: string | undefined): Promise<StartedProcess> {
  const [host, port] = [emulator.listensEverywhere ? '127.0.0.1' : hiddenAddress(), await freePort()]
  const command = [emulator.command, ...emulator.args(port, databaseFile, host)]
  const isWindows = process.platform === 'win32'
  const [file = '', ...args] = isWindows ? command : ['sh', '-c', SUPERVISOR, 'sh', ...command]
  // A process group of its own, so that only the service receives Ctrl-C.
  const child = spawn(file, args, { detached: !isWindows, stdio: ['pipe', 'pipe', 'pipe'] })
  let stderrTail = ''
  let [hasEnded, stopping] = [false, false]
  child.stderr.setEncoding('utf8').on('data', text => {
    stderrTail = (stderrTail + text).slice(-TAIL_LENGTH)
  })
  child.stdin.on('error', () => {})
  child.on('error', error => {
    stderrTail += error.message
  })
  const closed = once(child, 'close').catch(() => [])
  const failed = new Promise<string>(resolve => {
    void closed.then(() => {
      hasEnded = true
      child.stdin.end()
      if (!stopping) resolve(stderrTail.trim())
    })
  })
  const pid = isWindows ? (child.pid ?? 0) : await Promise.race([printedPid(child), failed])
  if (typeof pid === 'string') throw new Error(`Cannot start ${emulator.command}: ${pid}`)
  return {
    endpoint: `http://${host}:${port}`,
    pid,
    isOpenToNetwork: emulator.listensEverywhere,
    failed,
    hasEnded: () => hasEnded,
    async stop() {
      stopping = true
      child.stdin.end()
      if (isWindows) child.kill()
      const timer = setTimeout(() => process.kill(pid, 'SIGKILL'), STOP_TIMEOUT_MS)
      await closed
      clearTimeout(timer)
    },
  }
}

async function printedPid({ stdout }: ChildProcess): Promise<number> {
  const [data] = stdout ? await once(stdout, 'data') : []
  return Number(String(data))
}

/** True when the database answers, false if its process ended before. */
async function waitUntilReady(emulator: Emulator, started: StartedProcess): Promise<boolean> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!started.hasEnded()) {
    const hasAnswered = await fetch(started.endpoint).then(
      () => true,
      () => false,
    )
    if (hasAnswered) return !started.hasEnded()
    if (performance.now() > deadline) {
      await started.stop()
      throw new Error(`${emulator.name} did not answer within ${START_TIMEOUT_MS / 1000} s.`)
    }
    await sleep(2)
  }
  return false
}
