// The conditions of a measurement, and the parts of READMEs into which tables are written.
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, platform, release } from 'node:os'

/** Machine, load and date of a measurement. */
export function conditions(date: Date): string {
  return [
    `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}`,
    `${platform()} ${release().split('-')[0]}`,
    `Node ${process.versions.node}`,
    `load average ${(loadavg()[0] ?? 0).toFixed(0)}`,
    date.toISOString().slice(0, 10),
  ].join(', ')
}

/** The README with all tables, and the front page with some rows of the first one. */
export const BENCH_README = new URL('./README.md', import.meta.url)
export const FRONT_PAGE = new URL('../../README.md', import.meta.url)

/** Where the text between the markers of a part begins and ends. Throws when the markers are missing. */
function boundsOf(text: string, part: string): { from: number; to: number } {
  const [begin, end] = [`<!-- ${part}: begin -->`, `<!-- ${part}: end -->`]
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end)
  if (from < begin.length || to < from) throw new Error(`There is no part between ${begin} and ${end}.`)
  return { from, to }
}

export function partIn(text: string, part: string): string {
  const { from, to } = boundsOf(text, part)
  return text.slice(from, to)
}

/** Replaces the text between the markers of a part. Throws when the markers are missing. */
export async function writeInto(file: URL, part: string, text: string): Promise<void> {
  const before = await readFile(file, 'utf8')
  const { from, to } = boundsOf(before, part)
  await writeFile(file, `${before.slice(0, from)}\n${text}\n${before.slice(to)}`)
}
