// Publishes the posts of a real site on a service without other content, and counts what they cost.
import * as z from 'zod/mini'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import type { SourcePost } from '../../import/source.ts'
import { type Side, secondsSince, send, withService } from '../speed/side.ts'
import { totalOf } from '../traffic.ts'
import { findEach, isFound, wordsOf } from './find-each.ts'

const CLIENTS = 8
/** The functions that a publish needs. Searches are not counted. */
const WRITERS = ['admin-posts', 'fan-out', 'deliver-webhooks', 'tidy', 'index-search', 'sweep']

type Log = (line: string) => void
/** By the keys of `ROWS` in report-real.ts. */
export type RealFigures = Record<string, number>
export type Real = { figures: RealFigures; problems: string[] }

export async function measureReal(side: Side, posts: SourcePost[], log: Log): Promise<Real> {
  const start = { isCounted: true }
  const together = await withService(side, start, () => publishTogether(side, posts, log))
  const singly = await withService(side, start, () => publishSingly(side, posts, log))
  return { problems: together.problems, figures: { ...together.figures, ...singly } }
}

/** Searches begin when all posts are answered, while workers still write the index. */
async function publishTogether(side: Side, posts: SourcePost[], log: Log): Promise<Real> {
  const publish = await openPublish(side, posts, log)
  const startedMs = performance.now()
  await mapConcurrently(posts, CLIENTS, publish)
  const answered = secondsSince(startedMs)
  const [costs, { problems, found }] = await Promise.all([
    costsOf(side, posts.length, startedMs),
    findEach(side, posts).then(problems => ({ problems, found: secondsSince(startedMs) })),
  ])
  return { problems, figures: { answered, found, ...costs } }
}

/** Searches once for each post in the moment of its answer. */
async function publishSingly(side: Side, posts: SourcePost[], log: Log): Promise<RealFigures> {
  const publish = await openPublish(side, posts, log)
  const startedMs = performance.now()
  let atOnce = 0
  for (const post of posts) {
    await publish(post)
    if (await isFound(side, post.slug, wordsOf(post))) atOnce++
  }
  const answered = secondsSince(startedMs)
  const costs = await costsOf(side, posts.length, startedMs)
  const figures = { answered, atOnce: (100 * atOnce) / posts.length, ...costs }
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [`singly.${key}`, value]))
}

const Category = z.object({ data: z.object({ id: z.int() }) })

/** Creates the categories, and returns a function that publishes a post. */
async function openPublish(
  side: Side,
  posts: SourcePost[],
  log: Log,
): Promise<(post: SourcePost) => Promise<void>> {
  const categories = new Map<string, number>()
  for (const name of new Set(posts.map(({ category }) => category))) {
    const { text } = await send(side, 'POST', 'admin/categories', { body: { name } })
    categories.set(name, Category.parse(JSON.parse(text)).data.id)
  }
  await side.host.quiet({ isIndexed: true })
  await side.host.takeTraffic()
  let done = 0
  return async ({ title, slug, category, posted_at, body }) => {
    const category_ids = [categories.get(category)]
    const post = { title, slug, body, posted_at, category_ids, is_published: true }
    await send(side, 'POST', 'admin/posts', { body: post })
    done++
    if (done % 100 === 0) log(`${done} of ${posts.length} posts are published`)
  }
}

async function costsOf(side: Side, posts: number, startedMs: number): Promise<RealFigures> {
  await side.host.quiet({ isIndexed: true })
  const merged = secondsSince(startedMs)
  const { calls, readUnits, writeUnits, failed } = totalOf(await side.host.takeTraffic(), ...WRITERS)
  return {
    merged,
    calls: calls / posts,
    read: readUnits / posts,
    write: writeUnits / posts,
    failed: failed / posts,
  }
}
