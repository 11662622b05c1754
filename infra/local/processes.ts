// Inspects and ends processes by their id.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The command line of a process; empty if it has ended or the system does not show it. */
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
 * Ends the process and waits for it; kills it after `graceMs`. Does nothing unless its command line contains
 * `mark`, because the system reuses process ids.
 */
export async function endProcess(pid: number, mark: string, graceMs = 3000): Promise<void> {
  const isRunning = async () => (await commandLineOf(pid)).includes(mark)
  if (!(await isRunning())) return
  signal(pid, 'SIGTERM')
  const deadline = performance.now() + graceMs
  while (await isRunning()) {
    if (performance.now() > deadline) signal(pid, 'SIGKILL')
    await sleep(10)
  }
}

/** Sends a signal. Does nothing if the process has ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
