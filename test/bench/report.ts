// Formats measurements as tables and writes them into READMEs.
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, platform, release } from 'node:os'
import type { Cost } from './count.ts'
import { AT_MOST } from './count-writes.ts'

export type SiteCosts = { count: number; costs: Map<string, Cost> }

/** A row for each request; where the values differ by size, one value for each size. */
export function tableOf(sizes: SiteCosts[]): string {
  const largest = sizes.at(-1)
  const names = [...(largest?.costs.keys() ?? [])].filter(name => !name.endsWith(AT_MOST))
  const line = (name: string): string => {
    const cost = (of: (cost: Cost) => number) => withMost(name, sizes, of)
    const bytes = largest?.costs.get(name)?.bytes ?? 0
    const cells = [
      shown(name),
      cost(({ roundTrips }) => roundTrips),
      cost(({ calls }) => calls),
      cost(({ readUnits }) => readUnits),
      cost(({ writeUnits }) => writeUnits),
      bytes.toLocaleString('en'),
    ]
    return `| ${cells.join(' | ')} |`
  }
  return [
    '| request | round trips | calls | units read | units written | bytes |',
    `|${'---|'.repeat(6)}`,
    ...names.map(line),
  ].join('\n')
}

/** The request as code, its variant as plain text. */
function shown(name: string): string {
  const at = name.indexOf(', ')
  return at < 0 ? `\`${name}\`` : `\`${name.slice(0, at)}\`${name.slice(at)}`
}

function withMost(name: string, sizes: SiteCosts[], of: (cost: Cost) => number): string {
  const values = (each: string) =>
    sizes.flatMap(({ costs }) => {
      const cost = costs.get(each)
      return cost ? [of(cost)] : []
    })
  const most = Math.max(...values(`${name}${AT_MOST}`))
  const usual = flat(values(name))
  return most > Math.max(...values(name)) ? `${usual} (${most})` : usual
}

function flat(values: number[]): string {
  return new Set(values).size === 1 ? String(values[0]) : values.map(String).join(' · ')
}

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
