// What is measured of each service, and the table that compares two of them.
/** By the keys of `ROWS`. */
export type Figures = Record<string, number>
export type DeliveryLoad = { subscribers: number; posts: number }
export type Amounts = {
  rounds: number
  requests: number
  forMs: number
  posts: number
  few: DeliveryLoad
  many: DeliveryLoad
  /** Until the memory of a service is idle, and until its index is merged. */
  idleMs: number
}

/** `least`, `most`: the floor of design, a ratio to the other commit. */
type Row = { key: string; name: string; least?: number; most?: number }

const KEPT = {
  list: '`GET /posts`',
  post: '`GET /posts/{slug}`',
  page: '`GET /posts`, any other page',
  category: '`GET /categories/{slug}/posts`',
}

const ROWS: Row[] = [
  ...Object.entries(KEPT).flatMap(([key, name]) => [
    { key: `${key}.ms`, name: `${name}, one client, ms`, most: 0.75 },
    { key: `${key}.rate`, name: `${name}, 16 clients, a second`, least: 1.8 },
  ]),
  { key: 'search.ms', name: '`GET /search`, 200 characters, one client, ms', most: 1 },
  { key: 'search.rate', name: '`GET /search`, 200 characters, 16 clients, a second', least: 1 },
  { key: 'newPage.ms', name: 'the first read of a page after a change, ms', most: 0.8 },
  { key: 'newPost.ms', name: 'the first read of a post after a change, ms', most: 0.8 },
  {
    key: 'busy.rate',
    name: 'reads by 16 clients while one post a second is published, a second',
    least: 1 / 0.9,
  },
  { key: 'publish.ms', name: '`POST /admin/posts`, one client, ms', most: 0.6 },
  { key: 'publish.rate', name: '`POST /admin/posts`, 8 clients, a second', least: 1 / 0.6 },
  { key: 'few.s', name: '100 deliveries to 10 subscribers, s', most: 0.8 },
  { key: 'many.s', name: '4,000 deliveries to 100 subscribers, s', most: 0.8 },
  { key: 'many.twice', name: '4,000 deliveries: those that came twice' },
  { key: 'many.lost', name: '4,000 deliveries: those that never came' },
  { key: 'memory.idle', name: 'memory of all processes, idle, MiB', most: 0.6 },
  { key: 'memory.busy', name: 'memory of all processes, after the run, MiB', most: 0.6 },
  { key: 'start.fresh', name: '`npm start` to the first answer, fresh checkout, s', most: 0.3 },
  { key: 'start.again', name: '`npm start` to the first answer, again, s', most: 0.5 },
  { key: 'import.site', name: 'import of the generated site, s', most: 5 },
  { key: 'import.real', name: 'import of the given folder, s', most: 1.2 },
]

/** The upper one of the two in the middle; 0 of no numbers. */
export function medianOf(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
}

export function mediansOf(rounds: Figures[]): Figures {
  const keys = new Set(rounds.flatMap(Object.keys))
  return Object.fromEntries(
    [...keys].map(key => [key, medianOf(rounds.flatMap(({ [key]: value }) => value ?? []))]),
  )
}

/** One column for each service; with two of them their ratio and its floor as well. */
export function tableOf(sides: { name: string; figures: Figures }[]): string {
  const isCompared = sides.length === 2
  const [before, after] = sides.map(({ figures }) => figures)
  const rows = ROWS.filter(({ key }) => sides.some(({ figures }) => key in figures)).map(row => [
    row.name,
    ...sides.map(({ figures }) => shown(figures[row.key])),
    ...(isCompared ? [shown(ratioOf(row, before, after)), floorOf(row)] : []),
  ])
  const head = ['', ...sides.map(({ name }) => name), ...(isCompared ? ['ratio', 'floor'] : [])]
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

function ratioOf({ key }: Row, before: Figures = {}, after: Figures = {}): number | undefined {
  return before[key] ? (after[key] ?? Number.NaN) / before[key] : undefined
}

function floorOf({ least, most }: Row): string {
  if (most !== undefined) return `≤ ${shown(most)}`
  return least === undefined ? '' : `≥ ${shown(least)}`
}

/** A line for each figure that is worse than its floor. */
export function missedFloors(before: Figures, after: Figures): string[] {
  return ROWS.flatMap(row => {
    const ratio = ratioOf(row, before, after)
    const { least = 0, most = Number.POSITIVE_INFINITY } = row
    if (ratio === undefined || (ratio >= least && ratio <= most)) return []
    return [`${row.name}: ${shown(ratio)} times, ${floorOf(row)}`]
  })
}

const ON_FRONT_PAGE = ['list.ms', 'page.ms', 'post.ms', 'search.ms', 'list.rate', 'publish.ms']

/** A table of six figures. */
export function frontPageTable(figures: Figures): string {
  const some = ON_FRONT_PAGE.map(key => [key, figures[key] ?? Number.NaN])
  return tableOf([{ name: 'now', figures: Object.fromEntries(some) }])
}

/** Three digits are more than the machine's noise leaves. */
function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(value < 1 ? 2 : 3)))
}
