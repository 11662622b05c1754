// Imports posts, compares the result with the source, and returns measurements and all problems.
import { setTimeout as pause } from 'node:timers/promises'
import { checkPosts } from './check-posts.ts'
import { openClient } from './client.ts'
import { importPosts } from './import-posts.ts'
import { openListener } from './listener.ts'
import type { SourcePost } from './source.ts'

type Options = { baseUrl: string; token: string; log?: (line: string) => void }

const QUIET_MS = 30_000
function seconds(sinceMs: number): number {
  return Math.round((performance.now() - sinceMs) / 100) / 10
}

export async function prove(posts: SourcePost[], { baseUrl, token, log = () => {} }: Options) {
  const client = openClient(baseUrl, token)
  const listener = await openListener(client)
  const startedMs = performance.now()
  const due = posts.filter(({ posted_at }) => Date.parse(posted_at) <= Date.now())
  const answeredMs = new Map<string, number>()
  const categorySlugs = await importPosts(client, posts, (slug, done) => {
    answeredMs.set(slug, performance.now())
    if (done % 100 === 0) log(`${done} of ${posts.length} posts are in`)
  })
  const importSeconds = seconds(startedMs)
  log(`${posts.length} posts in ${importSeconds} s`)

  const quietSince = performance.now()
  while (listener.received.length < due.length && performance.now() - quietSince < QUIET_MS) await pause(50)
  const { total_deliveries, failed_deliveries } = await untilCounted(listener, due.length)
  const delays = listener.received.map(({ slug, atMs }) => atMs - (answeredMs.get(slug) ?? atMs))
  const heardSeconds = seconds(startedMs)
  log(`${listener.received.length} deliveries, the last ${heardSeconds} s after the start; reading back …`)

  const checkMs = performance.now()
  const { problems, ...read } = await checkPosts(client, posts, categorySlugs)
  const slugs = new Set(listener.received.map(({ slug }) => slug))
  problems.push(...listener.problems)
  if (listener.received.some(({ event }) => event !== 'post.published')) {
    problems.push('an event other than post.published')
  }
  if (slugs.size !== listener.received.length) problems.push('a delivery came twice')
  for (const { slug } of due) if (!slugs.has(slug)) problems.push(`${slug} was not announced`)
  if (slugs.size > due.length) problems.push('a post was announced before its time')
  if (total_deliveries !== due.length || failed_deliveries !== 0) {
    problems.push(`counted ${total_deliveries} deliveries, ${failed_deliveries} failed`)
  }
  listener.close()
  return {
    posts: posts.length,
    importSeconds,
    heardSeconds,
    deliveries: listener.received.length,
    /** From the answer to the POST that published a post to the delivery of its event. */
    longestDelayMs: Math.round(Math.max(...delays)),
    checkSeconds: seconds(checkMs),
    ...read,
    times: client.times(),
    problems,
  }
}

/** Waits for the counts: a delivery is counted after its answer. */
async function untilCounted(
  { counts }: { counts: () => Promise<{ total_deliveries: number; failed_deliveries: number }> },
  expected: number,
) {
  for (let attemptsLeft = 50; ; attemptsLeft--) {
    const current = await counts()
    if (current.total_deliveries >= expected || attemptsLeft === 0) return current
    await pause(100)
  }
}
