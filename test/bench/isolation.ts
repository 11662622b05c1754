// Does one subscriber that never answers delay the others? Nine beside it, and nine without it, side by side.
// Run: node test/bench/isolation.ts [events]
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { buildAssembly } from '../../infra/local/build.ts'
import { hangUp } from '../../infra/local/hang-up.ts'
import { seed } from '../../infra/local/seed.ts'
import { sideBySide } from '../../shared/table/side-by-side.ts'

const NEIGHBOURS = 9
const WRITERS = 4
const events = Number(process.argv[2] ?? 100)

const assembly = await buildAssembly({ log: console.error })

type Measured = { latenciesMs: number[]; perSecond: number }

/** Milliseconds from the request that publishes to each neighbour's delivery of it, and how many came a second. */
const measure = async (withHanging: boolean): Promise<Measured> => {
  const service = await hangUp({
    assembly,
    parameters: { LimitScale: '100000', AllowLoopbackWebhooks: 'true' },
    clock: false,
    // What goes wrong would spoil the numbers: it is seen.
    log: line => line.includes('"level":"info"') || console.error(line),
  })
  const { baseUrl, secrets, dynamodbEndpoint: endpoint, tableName } = service
  const place = { endpoint, tableName }
  const owner = await seed({
    table: place,
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
  const took: number[] = []
  const servers: Server[] = []
  const subscribe = async (hangs: boolean) => {
    const server = createServer(async (request, response) => {
      const arrivedMs = performance.now()
      const { slug } = JSON.parse(await text(request)).data
      if (hangs) return
      response.writeHead(204).end()
      took.push(arrivedMs - (sentMs.get(slug) ?? arrivedMs))
    })
    servers.push(server.listen(0, '127.0.0.1'))
    await once(server, 'listening')
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    await post('webhooks', { name: 'bench', url: `http://127.0.0.1:${port}/`, events: ['*'] })
  }
  for (let n = 0; n < NEIGHBOURS; n++) await subscribe(false)
  if (withHanging) await subscribe(true)
  // One round that nobody counts: cold functions cost the same with and without.
  await post('posts', { title: 'warm', slug: 'warm', is_published: true })
  while (took.length < NEIGHBOURS) await new Promise(resolve => setTimeout(resolve, 10))
  took.length = 0

  const startedMs = performance.now()
  await sideBySide(Array(events).keys(), WRITERS, async n => {
    sentMs.set(`post-${n}`, performance.now())
    await post('posts', { title: 'measured', slug: `post-${n}`, is_published: true })
  })
  while (took.length < NEIGHBOURS * events) await new Promise(resolve => setTimeout(resolve, 10))
  const perSecond = took.length / ((performance.now() - startedMs) / 1000)
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
  await service.stop()
  return { latenciesMs: took.sort((a, b) => a - b), perSecond }
}

const at = (sorted: number[], share: number): number =>
  Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
const row = (name: string, { latenciesMs, perSecond }: Measured) => {
  const numbers = [...[0.5, 0.95, 0.99].map(share => at(latenciesMs, share)), Math.round(perSecond)]
  console.log(name.padEnd(28), ...numbers.map(number => String(number).padStart(8)))
}

console.log(
  `${events} events, milliseconds:`.padEnd(28),
  ...['p50', 'p95', 'p99', 'a second'].map(name => name.padStart(8)),
)
const without = await measure(false)
row('nine, all answer', without)
const beside = await measure(true)
row('nine, a tenth hangs', beside)
const ratio = (of: (measured: Measured) => number) => (of(beside) / of(without)).toFixed(2)
console.log(
  `with the hanging one, of without: p99 ${ratio(one => at(one.latenciesMs, 0.99))}, deliveries a second ${ratio(one => one.perSecond)}`,
)
process.exit(0)
