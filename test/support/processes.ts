// The processes of this machine, as `ps` shows them.
import { execFileSync } from 'node:child_process'

type Process = { pid: number; parent: number; residentKiB: number; command: string }

function processes(): Process[] {
  const printed = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,rss=,args='], { encoding: 'utf8' })
  return printed.split('\n').map(line => {
    const [, pid, parent, residentKiB, command = ''] = /^ *(\d+) +(\d+) +(\d+) +(.*)$/.exec(line) ?? []
    return { pid: Number(pid), parent: Number(parent), residentKiB: Number(residentKiB), command }
  })
}

/** The ids of the processes whose command line contains the text. Those that have ended do not count. */
export function processesWith(text: string): number[] {
  return processes()
    .filter(({ command }) => command.includes(text))
    .map(({ pid }) => pid)
}

/** The resident memory of a process and of all that it started, in MiB. */
export function memoryOfTree(root: number, all = processes()): number {
  const own = all.find(({ pid }) => pid === root)?.residentKiB ?? 0
  const started = all.filter(({ parent }) => parent === root)
  return started.reduce((sum, { pid }) => sum + memoryOfTree(pid, all), own / 1024)
}
