// The memory of a process and of all that it started, as Linux counts it. On other systems it is 0.
import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096
const MIB = 1024 * 1024

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter(name => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Resident memory in MiB. */
export function memoryOfTree(root: number = process.pid): number {
  const parents = new Map(
    processes().map(pid => {
      // The name of a program may contain blanks, and ends with a bracket.
      const [, parent = ''] = textOf(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
      return [pid, parent] as const
    }),
  )
  const isOurs = (pid: string): boolean =>
    pid === String(root) || (parents.has(pid) && isOurs(parents.get(pid) ?? ''))
  const bytes = [...parents.keys()].filter(isOurs).map(pid => {
    const [, pages = '0'] = textOf(`/proc/${pid}/statm`).split(' ')
    return Number(pages) * PAGE_BYTES
  })
  return bytes.reduce((sum, size) => sum + size, 0) / MIB
}
