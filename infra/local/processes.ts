// What can be learned about, and done to, a process that is only known by its id.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The command line of a running process; empty when it has ended or cannot be asked. */
export async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return text.replaceAll('\0', ' ').trim()
  }
  if (process.platform === 'win32') return ''
  return run('ps', ['-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )
}

/**
 * Ends the process when its command line has `mark` in it: ids are used again, so an id alone proves nothing.
 * Waits until it is gone; killed when it takes longer than `graceMs`.
 */
export async function endProcess(pid: number, mark: string, graceMs = 3000): Promise<void> {
  const isThere = async () => (await commandLineOf(pid)).includes(mark)
  if (!(await isThere())) return
  signal(pid, 'SIGTERM')
  const deadline = performance.now() + graceMs
  while (await isThere()) {
    if (performance.now() > deadline) signal(pid, 'SIGKILL')
    await sleep(10)
  }
}

/** Sends a signal; a process that is gone already is fine. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** A process of this id is there; it need not be the one that had it first. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
