// Measures reads: their times at one and at 16 clients, and what they cost first after a change and repeated.
import { deepest } from '../count.ts'
import type { DelayName } from '../delays.ts'
import { openSite, upToLongest } from '../site.ts'
import { sum } from '../thread-cpu.ts'
import { totalOf } from '../traffic.ts'
import { type Figures, median, type Response, rateOf, type Side, send } from './side.ts'

/** `isConditional`: sent with the ETag of its answer. */
export type Read = { name: string; key: string; path: string; isConditional?: boolean }
export type ReadCost = { rounds: number; units: number }
export type ReadCosts = { name: string; first: ReadCost; repeated: ReadCost }[]

const CLIENTS = 16
const WARM_UP = 20
const SAMPLES = 8

/** The reads of the goals. `site`: the generated one that the service has. */
export async function readsOf(side: Side, site: { count: number; seed: number }): Promise<Read[]> {
  const { input, words } = openSite(site).post(1)
  const deep = deepest((await send(side, 'GET', 'posts')).text)
  const post = `posts/${encodeURIComponent(input.slug)}`
  const category = 'categories/category-1/posts'
  return [
    { name: '`GET /posts`', key: 'list', path: 'posts' },
    { name: '`GET /posts`, any other page', key: 'page', path: `posts?page=${deep}` },
    { name: '`GET /posts/{slug}`', key: 'post', path: post },
    { name: '`GET /posts/{slug}`, 304', key: '304', path: post, isConditional: true },
    { name: '`GET /categories/{slug}/posts`', key: 'category', path: category },
    {
      name: '`GET /search`, 200 characters',
      key: 'search',
      path: `search?q=${encodeURIComponent(upToLongest(new Set(words)))}`,
    },
  ]
}

async function headersOf(side: Side, { path, isConditional }: Read): Promise<Record<string, string>> {
  return isConditional ? { 'If-None-Match': (await send(side, 'GET', path)).etag } : {}
}

/** Returns what sends the request. */
export async function openRead(side: Side, read: Read): Promise<() => Promise<Response>> {
  const headers = await headersOf(side, read)
  return () => send(side, 'GET', read.path, { headers })
}

/** How often a second 16 clients get an answer. */
export function rateOfMany(forMs: number, ask: () => Promise<unknown>): Promise<number> {
  return rateOf(CLIENTS, forMs, ask)
}

/** Median time and CPU time at one client, and requests a second at 16. */
export async function timeReads(
  side: Side,
  reads: Read[],
  { requests, forMs }: { requests: number; forMs: number },
) {
  const figures: Figures = {}
  for (const read of reads) {
    const ask = await openRead(side, read)
    for (let n = 0; n < Math.min(WARM_UP, requests); n++) await ask()
    await side.host.takeCpu()
    const ms: number[] = []
    for (let n = 0; n < requests; n++) ms.push((await ask()).ms)
    const cpu = sum(await side.host.takeCpu())
    figures[`${read.key}.ms`] = median(ms)
    figures[`${read.key}.cpu`] = cpu / requests
    figures[`${read.key}.rate`] = await rateOfMany(forMs, ask)
  }
  return figures
}

/** Median times while calls take as long as the delay says. */
export async function timeDelayed(
  side: Side,
  reads: Read[],
  requests: number,
  delay: DelayName,
): Promise<Figures> {
  const figures: Figures = {}
  await side.host.delay(delay)
  for (const read of reads) {
    const ask = await openRead(side, read)
    const ms: number[] = []
    for (let n = 0; n < requests; n++) ms.push((await ask()).ms)
    figures[`${read.key}.${delay}.ms`] = median(ms)
  }
  await side.host.delay('none')
  return figures
}

/** `change` changes public content. Calls are held for a while, so that it is seen which are concurrent. */
export async function countReads(
  side: Side,
  reads: Read[],
  change: () => Promise<unknown>,
): Promise<ReadCosts> {
  const costs: ReadCosts = []
  for (const read of reads) {
    // The function is warm, as on a busy site.
    await send(side, 'GET', read.path)
    const headers = await headersOf(side, read)
    await change()
    await side.host.quiet({ isIndexed: false })
    await side.host.delay('held')
    const first = await costOf(side, read, headers)
    const repeated = await costOfRepeated(side, read)
    await side.host.delay('none')
    costs.push({ name: read.name, first, repeated })
  }
  return costs
}

/** The fewest of some samples, since what is kept for a time may just have ended. */
async function costOfRepeated(side: Side, read: Read): Promise<ReadCost> {
  const headers = await headersOf(side, read)
  const samples: ReadCost[] = []
  for (let n = 0; n < SAMPLES; n++) samples.push(await costOf(side, read, headers))
  return {
    rounds: Math.min(...samples.map(({ rounds }) => rounds)),
    units: Math.min(...samples.map(({ units }) => units)),
  }
}

async function costOf(side: Side, { path }: Read, headers: Record<string, string>): Promise<ReadCost> {
  await side.host.takeTraffic()
  await send(side, 'GET', path, { headers })
  const { rounds, readUnits } = totalOf(await side.host.takeTraffic())
  return { rounds, units: readUnits }
}
