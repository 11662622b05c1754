// Measures whether one subscriber that never answers delays nine others, in runs without it and with it.
// Run: npm run bench:isolation -- [events | --dry]
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runStack } from '../../infra/local/run-stack.ts'
import { seed } from '../../infra/local/seed.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import { buildAssembly } from '../world/assembly.ts'
import { BENCH_README, conditions, writeInto } from './report.ts'

const NEIGHBOURS = 9
const WRITERS = 4
/** Below the capacity of one machine, so that deliveries hardly queue up. */
const POSTS_A_SECOND = 8
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { dry: { type: 'boolean', default: false } },
})
const events = options.dry ? 1 : Number(positionals[0] ?? 100)

/** Taken before the run puts load on the machine. */
const measuredWith = conditions(new Date())
const assembly = await buildAssembly({ log: console.error })

type DeliveryTimes = { latenciesMs: number[]; perSecond: number }

/** Milliseconds from the publishing request to each delivery to the nine, and their deliveries per second. */
async function measure(withHanging: boolean, postsASecond: number): Promise<DeliveryTimes> {
  const service = await runStack({
    assembly,
    parameters: { LimitScale: '100000' },
    allowLoopbackWebhooks: true,
    clock: false,
    // Prints problems, since they would distort the numbers.
    log: (line, level) => level === 'debug' || line.includes('"level":"info"') || console.error(line),
  })
  const { baseUrl, secrets, dynamodbEndpoint: endpoint, tableName } = service
  const table = { endpoint, tableName }
  const owner = await seed({
    table,
    baseUrl,
    owner: secrets.owner,
    demo: false,
    first: true,
    log: String,
  })
  const post = async (path: string, body: unknown) => {
    const headers = { Authorization: `Bearer ${owner.adminToken}` }
    const response = await fetch(`${baseUrl}/api/v1/admin/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`)
  }

  const sentMs = new Map<string, number>()
  const latenciesMs: number[] = []
  const servers: Server[] = []
  const subscribe = async (hangs: boolean) => {
    const server = createServer(async (request, response) => {
      const arrivedMs = performance.now()
      const { slug } = JSON.parse(await text(request)).data
      if (hangs) return
      response.writeHead(204).end()
      latenciesMs.push(arrivedMs - (sentMs.get(slug) ?? arrivedMs))
    })
    servers.push(server.listen(0, '127.0.0.1'))
    await once(server, 'listening')
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    await post('webhooks', { name: 'bench', url: `http://127.0.0.1:${port}/`, events: ['*'] })
  }
  for (let n = 0; n < NEIGHBOURS; n++) await subscribe(false)
  if (withHanging) await subscribe(true)
  // A first round that is not counted, for cold functions.
  await post('posts', { title: 'warm', slug: 'warm', is_published: true })
  while (latenciesMs.length < NEIGHBOURS) await pause(10)
  latenciesMs.length = 0

  const startedMs = performance.now()
  await mapConcurrently(Array(events).keys(), WRITERS, async n => {
    await pause(Math.max(0, startedMs + (n / postsASecond) * 1000 - performance.now()))
    sentMs.set(`post-${n}`, performance.now())
    await post('posts', { title: 'measured', slug: `post-${n}`, is_published: true })
  })
  while (latenciesMs.length < NEIGHBOURS * events) await pause(10)
  const perSecond = latenciesMs.length / ((performance.now() - startedMs) / 1000)
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
  await service.stop()
  return { latenciesMs: latenciesMs.sort((a, b) => a - b), perSecond }
}

function within({ latenciesMs }: DeliveryTimes, share: number): number {
  return latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0
}

/** The value without the hanging subscriber, the value with it, and their ratio. */
function row(name: string, baseline: number, loaded: number): string {
  return `| ${[name, baseline.toFixed(0), loaded.toFixed(0), (loaded / baseline).toFixed(2)].join(' | ')} |`
}

/** Runs without the hanging subscriber, then with it. */
async function measureBoth(postsASecond: number) {
  const [baseline, loaded] = [await measure(false, postsASecond), await measure(true, postsASecond)]
  return (name: string, of: (measured: DeliveryTimes) => number) => row(name, of(baseline), of(loaded))
}

if (options.dry) {
  await measure(true, POSTS_A_SECOND)
  console.log('One event reached all that answer while one subscriber hung.')
  process.exit(0)
}
const steady = await measureBoth(POSTS_A_SECOND)
const hurried = await measureBoth(Number.POSITIVE_INFINITY)
const count = ((NEIGHBOURS + 1) * events).toLocaleString('en')
const report = [
  `${count} deliveries a run, ${measuredWith}:`,
  '',
  '| the nine others | without the hanging one | with it | ratio |',
  '|---|---|---|---|',
  ...[0.5, 0.99].map(share =>
    steady(`${POSTS_A_SECOND} posts a second: p${share * 100}, ms`, measured => within(measured, share)),
  ),
  hurried('as fast as they go: deliveries a second', ({ perSecond }) => perSecond),
  hurried('as fast as they go: p99, ms', measured => within(measured, 0.99)),
].join('\n')
console.log(report)
await writeInto(BENCH_README, 'isolation', report)
process.exit(0)
