// Measures creating and publishing posts: times, what one costs with everything that follows it, and a burst.
import * as z from 'zod/mini'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { sum } from '../thread-cpu.ts'
import { type Traffic, totalOf } from '../traffic.ts'
import { type Figures, median, publish, type Side, secondsSince, send } from './side.ts'
import { markOf, type TextOf } from './texts.ts'

const WRITERS = 8
const BURST_CLIENTS = 16
const SAMPLES = 3

export async function publishMany(
  side: Side,
  textOf: TextOf,
  posts: number,
  clients = WRITERS,
): Promise<void> {
  await mapConcurrently(Array(posts).keys(), clients, async () => {
    await publish(side, textOf())
  })
}

/**
 * One after the other, then from eight clients until `posts` are published and followed up. `warm` are
 * published right before, while V8 compiles in each worker what publishes need.
 */
export async function timePublishes(
  side: Side,
  textOf: TextOf,
  { posts, warm }: { posts: number; warm: number },
): Promise<Figures> {
  const ms: number[] = []
  for (let n = 0; n < posts / 4; n++) ms.push((await publish(side, textOf())).ms)
  await side.host.quiet({ isIndexed: true })
  await publishMany(side, textOf, warm)
  await side.host.takeCpu()
  const startedMs = performance.now()
  await publishMany(side, textOf, posts)
  const answered = secondsSince(startedMs)
  // Threads that end while nothing happens take their time with them.
  const cpu = await side.host.takeCpu()
  await side.host.quiet({ isIndexed: true })
  const followed = secondsSince(startedMs)
  const later = await side.host.takeCpu()
  return {
    'publish.ms': median(ms),
    'publish.rate': posts / answered,
    'publish.lag': followed - answered,
    'publish.cpu': (cpu['admin-posts'] ?? 0) / posts,
    'publish.all.cpu': (sum(cpu) + sum(later)) / posts,
  }
}

/** What a publish costs by count: posts one after the other, with everything until nothing is left to do. */
export async function countPublishes(side: Side, textOf: TextOf, posts: number): Promise<Figures> {
  const rounds = await roundsOfPublish(side, textOf)
  for (let n = 0; n < posts; n++) await publish(side, textOf())
  await side.host.quiet({ isIndexed: true })
  const traffic = await side.host.takeTraffic()
  const [all, own, index] = [
    totalOf(traffic),
    totalOf(traffic, 'admin-posts'),
    totalOf(traffic, 'index-search'),
  ]
  return {
    'publish.rounds': rounds,
    'publish.calls': own.calls / posts,
    'publish.own.write': own.writeUnits / posts,
    'publish.index.write': index.writeUnits / posts,
    'publish.all.calls': all.calls / posts,
    'publish.all.read': all.readUnits / posts,
    'publish.all.write': all.writeUnits / posts,
  }
}

/** The fewest of some publishes: one in about sixteen also splits a node of a list. */
async function roundsOfPublish(side: Side, textOf: TextOf): Promise<number> {
  const rounds: number[] = []
  await publish(side, textOf())
  for (let n = 0; n < SAMPLES; n++) {
    await side.host.quiet({ isIndexed: false })
    await side.host.takeTraffic()
    await side.host.delay('held')
    await publish(side, textOf())
    rounds.push(totalOf(await side.host.takeTraffic(), 'admin-posts').rounds)
    await side.host.delay('none')
  }
  await side.host.quiet({ isIndexed: true })
  await side.host.takeTraffic()
  return Math.min(...rounds)
}

/** Median time of a publish with AWS-like latencies, each after the one before is followed up. */
export async function delayedPublishes(side: Side, textOf: TextOf, posts: number): Promise<Figures> {
  const ms: number[] = []
  for (let n = 0; n < posts; n++) {
    await side.host.delay('aws')
    ms.push((await publish(side, textOf())).ms)
    await side.host.delay('none')
    await side.host.quiet({ isIndexed: false })
  }
  return { 'publish.aws.ms': median(ms) }
}

const Total = z.object({ data: z.object({ total: z.int() }) })

/** Many posts at once, on an empty site, until searches find all, and until nothing is left to do. */
export async function measureBurst(side: Side, textOf: TextOf, posts: number): Promise<Figures> {
  await side.host.takeTraffic()
  const startedMs = performance.now()
  await publishMany(side, textOf, posts, BURST_CLIENTS)
  const answered = secondsSince(startedMs)
  const found = findAll(side, posts).then(() => secondsSince(startedMs))
  await side.host.quiet({ isIndexed: true })
  const merged = secondsSince(startedMs)
  const traffic = await side.host.takeTraffic()
  return {
    'burst.answered': answered,
    'burst.found': await found,
    'burst.merged': merged,
    ...perPost('burst', totalOf(traffic), posts),
    ...perPost('burst.index', totalOf(traffic, 'index-search'), posts),
  }
}

function perPost(name: string, { calls, readUnits, writeUnits, failed }: Traffic, posts: number): Figures {
  return {
    [`${name}.calls`]: calls / posts,
    [`${name}.read`]: readUnits / posts,
    [`${name}.write`]: writeUnits / posts,
    [`${name}.failed`]: failed,
  }
}

/** Asks for one post until it is found, then for the next one, so that it costs the service little. */
async function findAll(side: Side, posts: number): Promise<void> {
  for (let n = 1; n <= posts; n++) while ((await totalFor(side, markOf(n))) === 0);
}

async function totalFor(side: Side, word: string): Promise<number> {
  const { text } = await send(side, 'GET', `search?q=${word}`)
  return Total.parse(JSON.parse(text)).data.total
}
