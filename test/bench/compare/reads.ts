// Times of reads: of one client and of sixteen, of what was never asked for, and while posts are published.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { type Site, upToLongest } from '../site.ts'
import { type Amounts, type Figures, medianOf } from './figures.ts'
import { type RunningService, secondsSince, send } from './service.ts'
import { publish } from './writes.ts'

const CLIENTS = 16
const WARM_UP = 20
const Answer = z.object({ pagination: z.object({ last_page: z.int() }) })

async function lastPageOf(service: RunningService): Promise<number> {
  return Answer.parse(JSON.parse((await send(service, 'posts')).text)).pagination.last_page
}

async function pathsOf(service: RunningService, site: Site): Promise<Record<string, string>> {
  const { input, words } = site.post(1)
  return {
    list: 'posts',
    post: `posts/${input.slug}`,
    page: `posts?page=${Math.max(2, Math.floor((await lastPageOf(service)) * 0.98))}`,
    category: 'categories/category-1/posts',
    search: `search?q=${encodeURIComponent(upToLongest(new Set(words)))}`,
  }
}

export async function timeReads(service: RunningService, site: Site, amounts: Amounts): Promise<Figures> {
  const figures: Figures = {}
  for (const [name, path] of Object.entries(await pathsOf(service, site))) {
    for (let n = 0; n < WARM_UP; n++) await send(service, path)
    figures[`${name}.ms`] = await medianTime(service, Array<string>(amounts.requests).fill(path))
    figures[`${name}.rate`] = await rateOf(service, [path], amounts.forMs)
  }
  return figures
}

/** Pages and posts, each asked for once since the last change. */
export async function timeFirstReads(
  service: RunningService,
  site: Site,
  amounts: Amounts,
): Promise<Figures> {
  await publish(service)
  const last = await lastPageOf(service)
  const pages = spread(Math.min(amounts.requests, last - 1), last - 1).map(n => `posts?page=${n + 2}`)
  const shown = site.count - site.scheduled
  const posts = spread(Math.min(amounts.requests, shown), shown)
    .map(n => site.post(n + 1).input)
    .filter(({ content_type, is_published }) => content_type === 'post' && is_published)
    .map(({ slug }) => `posts/${slug}`)
  return {
    'newPage.ms': await medianTime(service, pages),
    'newPost.ms': await medianTime(service, posts),
  }
}

/** All but the search, by sixteen clients, while one post a second is published. */
export async function timeBusyReads(
  service: RunningService,
  site: Site,
  { forMs }: Amounts,
): Promise<Figures> {
  const { search: _, ...paths } = await pathsOf(service, site)
  const ended = new AbortController()
  const publishing = (async () => {
    while (!ended.signal.aborted) {
      await Promise.all([publish(service), pause(1000, undefined, { signal: ended.signal }).catch(() => {})])
    }
  })()
  const rate = await rateOf(service, Object.values(paths), 2 * forMs)
  ended.abort()
  await publishing
  return { 'busy.rate': rate }
}

/** So many of the numbers below `end`, from the first to the last. */
function spread(count: number, end: number): number[] {
  return Array.from({ length: count }, (_, n) => Math.floor((n * end) / count))
}

async function medianTime(service: RunningService, paths: string[]): Promise<number> {
  const times: number[] = []
  for (const path of paths) times.push((await send(service, path)).ms)
  return medianOf(times)
}

async function rateOf(service: RunningService, paths: string[], forMs: number): Promise<number> {
  const startedMs = performance.now()
  let answers = 0
  const client = async (_: unknown, n: number) => {
    for (let turn = n; performance.now() - startedMs < forMs; turn++) {
      await send(service, paths[turn % paths.length] ?? '')
      answers++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }).map(client))
  return answers / secondsSince(startedMs)
}
