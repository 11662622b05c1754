// Measures how soon a search finds many posts that are published together, and what indexing them costs.
// Run: npm run bench:burst -- [--posts 500] [--file posts.jsonl.gz] [--dry]
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { buildAssembly } from '../../infra/local/build.ts'
import { runStack } from '../../infra/local/run-stack.ts'
import { seed } from '../../infra/local/seed.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import { openClient } from '../import/client.ts'
import { readPosts } from '../import/source.ts'
import { until } from '../world/until.ts'
import { openCallCounter } from './call-units.ts'
import { BENCH_README, conditions, writeInto } from './report.ts'
import { openSite } from './site.ts'

const { values: options } = parseArgs({
  options: {
    posts: { type: 'string', default: '500' },
    file: { type: 'string' },
    clients: { type: 'string', default: '16' },
    dry: { type: 'boolean', default: false },
  },
})
const count = Number(options.posts)
const MAX_MS = 30 * 60_000
function log(line: string) {
  return process.stderr.write(`${line}\n`)
}

/** A word that no other post has, so that each post is searched by itself. */
function markOf(n: number): string {
  return `zq${n}qz`
}

type PostText = { title: string; body: string }

function postsOfSite(): PostText[] {
  const site = openSite({ count, seed: 1 })
  return Array.from({ length: count }, (_, n) => {
    const { title, body } = site.post(n + 1).input
    return { title, body }
  })
}

const source: PostText[] = options.file ? (await readPosts(options.file)).slice(0, count) : postsOfSite()

const measuredWith = conditions(new Date())
const counter = openCallCounter()
const service = await runStack({
  assembly: await buildAssembly({ log }),
  parameters: { LimitScale: '100000' },
  interceptors: [counter.interceptor],
  clock: false,
  log: line => line.includes('"level":"info"') || log(line.slice(0, 300)),
})
const { baseUrl, secrets, dynamodbEndpoint: endpoint, tableName } = service
const table = { endpoint, tableName }
const { adminToken } = await seed({ table, baseUrl, owner: secrets.owner, demo: false, first: true, log })
const client = openClient(baseUrl, adminToken)
counter.clear()

const startedMs = performance.now()
function seconds(): string {
  return ((performance.now() - startedMs) / 1000).toFixed(0)
}

await mapConcurrently(source.entries(), Number(options.clients), async ([n, { title, body }]) => {
  const post = { title: `${title} ${markOf(n)}`, body, is_published: true }
  await client.need(z.unknown(), 'POST', 'admin/posts', { body: post })
})
const publishedAfter = seconds()
log(`${source.length} posts published after ${publishedAfter} s.`)

await until('the index queue to be empty', () => isIndexQuiet(), MAX_MS)
const indexedAfter = seconds()
const index = counter.of('index-search')
const others = { all: counter.of() }
const SearchTotal = z.object({ total: z.int() })
let found = 0
await mapConcurrently(source.keys(), Number(options.clients), async n => {
  const { total } = await client.need(SearchTotal, 'GET', `search?q=${markOf(n)}`)
  found += total
})
await service.stop()

function isIndexQuiet(): boolean {
  const { visible, inFlight, delayed } = service.queueDepth('IndexQueue')
  return visible + inFlight + delayed === 0
}

function perPost(number: number): string {
  return (number / source.length).toFixed(number < 100 * source.length ? 1 : 0)
}

function row(name: string, cost: ReturnType<typeof counter.of>): string {
  return `| ${[name, perPost(cost.calls), perPost(cost.readUnits), perPost(cost.writeUnits), String(cost.conflicts)].join(' | ')} |`
}

const report = [
  `${source.length} posts published at once, with ${measuredWith}: all responses after ${publishedAfter} s, ${found} posts found after ${indexedAfter} s.`,
  '',
  '| per post | calls | units read | units written | failed calls, total |',
  '|---|---|---|---|---|',
  row('search index', index),
  row('everything', others.all),
].join('\n')
console.log(report)
if (!options.dry) await writeInto(BENCH_README, 'burst', report)
process.exit(found === source.length ? 0 : 1)
