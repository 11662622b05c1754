// The rows of the table of speed, with the goals that the service is to reach.
import type { Figures } from './side.ts'

type Goal = { name: string; key: string; goal?: string }

export const GOALS: Goal[] = [
  { name: '`GET /posts`, one client, ms', key: 'list.ms', goal: '< 5' },
  { name: '`GET /posts`, 16 clients, a second', key: 'list.rate', goal: '> 250' },
  { name: '`GET /posts`, CPU ms of the function', key: 'list.cpu' },
  { name: '`GET /posts/{slug}`, one client, ms', key: 'post.ms', goal: '< 4' },
  { name: '`GET /posts/{slug}`, 16 clients, a second', key: 'post.rate', goal: '> 400' },
  { name: '`GET /posts/{slug}`, CPU ms of the function', key: 'post.cpu' },
  { name: '`GET /posts/{slug}`, 304, CPU ms of the function', key: '304.cpu' },
  { name: '`GET /posts`, any other page, one client, ms', key: 'page.ms', goal: '< 7' },
  { name: '`GET /posts`, any other page, 16 clients, a second', key: 'page.rate' },
  { name: '`GET /posts`, any other page, CPU ms of the function', key: 'page.cpu' },
  { name: '`GET /categories/{slug}/posts`, one client, ms', key: 'category.ms', goal: '< 7' },
  { name: '`GET /categories/{slug}/posts`, 16 clients, a second', key: 'category.rate' },
  { name: '`GET /search`, 200 characters, one client, ms', key: 'search.ms' },
  { name: '`GET /search`, 200 characters, 16 clients, a second', key: 'search.rate' },
  { name: 'publish, one client, ms', key: 'publish.ms', goal: '< 25' },
  { name: 'publish, 8 clients, a second', key: 'publish.rate', goal: '> 60' },
  { name: 'publish, 8 clients, seconds from the last answer until all is merged', key: 'publish.lag' },
  { name: 'publish, CPU ms of the function', key: 'publish.cpu' },
  { name: 'publish, CPU ms of all functions', key: 'publish.all.cpu' },
  { name: 'publish, AWS-like latencies, ms', key: 'publish.aws.ms', goal: '< 45' },
  { name: '`GET /posts`, AWS-like latencies, ms', key: 'list.aws.ms', goal: '< 12' },
  { name: '`GET /posts/{slug}`, AWS-like latencies, ms', key: 'post.aws.ms' },
  { name: '`GET /posts`, any other page, AWS-like latencies, ms', key: 'page.aws.ms' },
  { name: 'publish, sequential calls of the request', key: 'publish.rounds', goal: '4' },
  { name: 'publish, calls of the request', key: 'publish.calls' },
  { name: 'publish, calls with everything that follows', key: 'publish.all.calls' },
  { name: 'publish, units written by the request', key: 'publish.own.write' },
  { name: 'publish, units written by the index', key: 'publish.index.write' },
  { name: 'publish, units written with everything that follows', key: 'publish.all.write', goal: '< 120' },
  { name: 'publish, units read with everything that follows', key: 'publish.all.read' },
  { name: 'burst of posts, seconds until all are answered', key: 'burst.answered' },
  { name: 'burst of posts, seconds until all are found', key: 'burst.found' },
  { name: 'burst of posts, seconds until nothing is left to do', key: 'burst.merged', goal: '< 20' },
  { name: 'burst of posts, calls a post', key: 'burst.calls' },
  { name: 'burst of posts, units read a post', key: 'burst.read' },
  { name: 'burst of posts, units written a post', key: 'burst.write', goal: '< 60' },
  { name: 'burst of posts, failed calls', key: 'burst.failed' },
  { name: '10 subscribers, deliveries a second', key: 'few.rate', goal: '> 400' },
  { name: '10 subscribers, CPU ms a delivery', key: 'few.cpu' },
  { name: '1,000 subscribers, events a second', key: 'many.events', goal: '10' },
  { name: '1,000 subscribers, units read by the fan-out of an event', key: 'many.event.read', goal: '1' },
  { name: '1,000 subscribers, calls of the fan-out of an event', key: 'many.event.calls' },
  { name: '1,000 subscribers, CPU ms of the fan-out of an event', key: 'many.event.cpu' },
  { name: '1,000 subscribers, calls a delivery', key: 'many.calls', goal: '2' },
  { name: '1,000 subscribers, units written a delivery', key: 'many.write' },
  { name: '1,000 subscribers, CPU ms a delivery', key: 'many.cpu' },
  { name: 'first request of a cold function, calls', key: 'cold.calls' },
  { name: 'memory, idle, MiB', key: 'memory.idle', goal: '150' },
  { name: 'memory, after reads at 16 clients, MiB', key: 'memory.busy', goal: '500' },
]

/** Three digits are more than the machine's noise leaves. */
export function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(value < 1 ? 2 : 3)))
}

/** Where a figure was measured on sites of several sizes, one value for each of them. */
function shownAtSizes(sizes: Figures[], key: string): string {
  const values = sizes.flatMap(figures => (key in figures ? [shown(figures[key])] : []))
  if (values.length === 0) return shown(undefined)
  return new Set(values).size === 1 ? String(values[0]) : values.join(' · ')
}

export function tableOfGoals(sides: { name: string; figures: Figures[] }[]): string {
  const rows = GOALS.map(({ name, key, goal = '' }) => [
    name,
    goal,
    ...sides.map(({ figures }) => shownAtSizes(figures, key)),
  ])
  return [
    `| | goal | ${sides.map(({ name }) => name).join(' | ')} |`,
    `|---|---|${'---|'.repeat(sides.length)}`,
    ...rows.map(cells => `| ${cells.join(' | ')} |`),
  ].join('\n')
}
