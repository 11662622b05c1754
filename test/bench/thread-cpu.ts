// CPU time of the threads of functions in this process, and memory of its processes, as Linux counts them.
// On other systems there are no values.
import { readdirSync, readFileSync } from 'node:fs'
import type { FunctionNames } from './function-names.ts'

const NS_PER_MS = 1e6
const PAGE_BYTES = 4096
const MIB = 1024 * 1024

function lines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Returns a function that gives the CPU milliseconds of each function since its last call. */
export function openCpuClock(functionOf: FunctionNames): () => Record<string, number> {
  const before = new Map<string, number>()
  return () => {
    const used: Record<string, number> = {}
    for (const thread of entries('/proc/self/task')) {
      const name = functionOf(lines(`/proc/self/task/${thread}/comm`))
      const [ns = '0'] = lines(`/proc/self/task/${thread}/schedstat`).split(' ')
      if (name === undefined) continue
      used[name] = (used[name] ?? 0) + (Number(ns) - (before.get(thread) ?? 0)) / NS_PER_MS
      before.set(thread, Number(ns))
    }
    return used
  }
}

/** The CPU time of all functions. */
export function sum(values: Record<string, number>): number {
  return Object.values(values).reduce((total, value) => total + value, 0)
}

/** The resident memory of a process and of all that it started, in MiB. */
export function memoryOfTree(root: number = process.pid): number {
  const parents = new Map(
    entries('/proc').map(pid => {
      // The name of a program may contain blanks, and ends with a bracket.
      const [, parent = ''] = lines(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
      return [pid, parent] as const
    }),
  )
  const isOurs = (pid: string): boolean =>
    pid === String(root) || (parents.has(pid) && isOurs(parents.get(pid) ?? ''))
  const bytes = [...parents.keys()].filter(isOurs).map(pid => {
    const [, pages = '0'] = lines(`/proc/${pid}/statm`).split(' ')
    return Number(pages) * PAGE_BYTES
  })
  return bytes.reduce((sum, size) => sum + size, 0) / MIB
}
