// Measures whether the failures of an hour that are sent again delay fresh events of another subscriber: in
// turns without and with them, within one run. Run: npm run bench:replays -- [--dry]
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runStack } from '../../infra/local/run-stack.ts'
import { seed } from '../../infra/local/seed.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { buildAssembly } from '../world/assembly.ts'
import { callAt } from '../world/call.ts'
import { until } from '../world/until.ts'
import { BENCH_README, conditions, writeInto } from './report.ts'

const { dry } = parseArgs({ options: { dry: { type: 'boolean', default: false } } }).values
const SUBSCRIBERS = 3
/** 1,000 failures together. */
const EVENTS = dry ? 4 : 334
const POSTS = 20
/** In each, a part of the failures is sent again, after a quiet time as long. The first is not counted. */
const TURNS = dry ? 2 : 9
const QUIET_MS = dry ? 500 : 6_000
const FRESH_EVERY_MS = 100
/** Not counted: functions start, and remember subscriptions. */
const WARM_UP_MS = dry ? 100 : 5_000

/** Taken before the run puts load on the machine. */
const measuredWith = conditions(new Date())
const service = await runStack({
  assembly: await buildAssembly({ log: console.error }),
  parameters: { LimitScale: '100000' },
  allowLoopbackWebhooks: true,
  clock: false,
  // Prints problems, since they would distort the numbers; failed deliveries are meant.
  log: (line, level) => level === 'error' && console.error(line),
})
const { baseUrl, secrets, dynamodbEndpoint: endpoint, tableName } = service
const { adminToken: token } = await seed({
  table: { endpoint, tableName },
  baseUrl,
  owner: secrets.owner,
  demo: false,
  first: true,
  log: String,
})
const call = callAt(baseUrl)

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

let status = 500
let failed = 0
let again = 0
const freshAtMs = new Map<string, number>()
const server = createServer(async (request, response) => {
  const arrivedMs = performance.now()
  const body = await text(request)
  response.writeHead(status).end()
  if (request.url === '/fresh') {
    freshAtMs.set(JSON.parse(body).data.title, arrivedMs)
  } else if (request.headers['webhook-attempt'] === undefined) {
    failed++
  } else {
    again++
  }
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const origin = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`

async function subscribe(path: string): Promise<number> {
  const body = { name: path, url: `${origin}/${path}`, events: ['post.updated'] }
  return (await call(adminWebhooks.createWebhook, { token, body })).data.id
}

/** Several, so that changes of one post do not meet. */
const posts: number[] = []
while (posts.length < POSTS) {
  const body = { title: 'Measured', is_published: true }
  posts.push((await call(adminPosts.createPost, { token, body })).data.id)
}
let changes = 0
async function change(title: string): Promise<void> {
  const id = posts[changes++ % POSTS] ?? 0
  await call(adminPosts.changePost, { token, params: { id }, body: { title } })
}

const failing: number[] = []
for (let n = 0; n < SUBSCRIBERS; n++) failing.push(await subscribe(`failing-${n}`))
/** The seconds in which each part begins, and the end of the last one. */
const parts: number[] = []
for (let n = 0; n <= TURNS; n++) {
  const lastSecond = nowSeconds()
  await until('the next second', () => nowSeconds() > lastSecond)
  parts.push(lastSecond + 1)
  const end = Math.ceil(((n + 1) * EVENTS) / TURNS)
  while (n < TURNS && changes < end) await change(`Failing ${changes}`)
}
await until('all to fail', () => failed === EVENTS * SUBSCRIBERS)
for (const id of failing) {
  const body = { events: ['post.deleted'] }
  await call(adminWebhooks.changeWebhook, { token, params: { id }, body })
}
status = 204
await subscribe('fresh')

type Times = { request: number[]; delivery: number[] }

/** One change every tenth of a second while `goesOn`: milliseconds to its answer, and to its delivery. */
async function freshTimes(goesOn: (ms: number) => boolean): Promise<Times> {
  const sentMs = new Map<string, number>()
  const running: Promise<number>[] = []
  const startedMs = performance.now()
  for (let n = 1; goesOn(performance.now() - startedMs); n++) {
    const [title, atMs] = [`Fresh ${changes}`, performance.now()]
    sentMs.set(title, atMs)
    running.push(change(title).then(() => performance.now() - atMs))
    await pause(Math.max(0, startedMs + n * FRESH_EVERY_MS - performance.now()))
  }
  const request = await Promise.all(running)
  await until('the fresh events', () => [...sentMs.keys()].every(title => freshAtMs.has(title)))
  return { request, delivery: [...sentMs].map(([title, atMs]) => (freshAtMs.get(title) ?? 0) - atMs) }
}

/** Sends the failures of a part again. Returns how many they are. */
async function replay(part: number): Promise<number> {
  let matched = 0
  for (const id of failing) {
    const [since, until] = [parts[part] ?? 0, (parts[part + 1] ?? 0) - 1].map(seconds =>
      new Date(seconds * 1000).toISOString(),
    )
    const body = { since, until }
    matched += (await call(adminWebhooks.redeliverAll, { token, params: { id }, body })).data.matched
  }
  return matched
}

const quiet: Times = { request: [], delivery: [] }
const during: Times = { request: [], delivery: [] }
function add(all: Times, { request, delivery }: Times): void {
  all.request.push(...request)
  all.delivery.push(...delivery)
}

await freshTimes(ms => ms < WARM_UP_MS)
let tookMs = 0
for (let part = 0; part < TURNS; part++) {
  const without = await freshTimes(ms => ms < QUIET_MS)
  const startedMs = performance.now()
  const wanted = again + (await replay(part))
  const along = await freshTimes(() => again < wanted)
  if (part > 0) add(quiet, without)
  if (part > 0) add(during, along)
  tookMs += performance.now() - startedMs
}
if (again !== EVENTS * SUBSCRIBERS) throw new Error(`${again} were sent again.`)
await service.stop()
server.close()

function within(times: number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
}

function row(name: string, share: number, timesIn: (times: Times) => number[]): string {
  const [before, after] = [within(timesIn(quiet), share), within(timesIn(during), share)]
  const cells = [`${name}: p${share * 100}, ms`, ...[before, after].map(ms => ms.toFixed(0))]
  return `| ${[...cells, (after / before).toFixed(2)].join(' | ')} |`
}

const report = [
  `${again.toLocaleString('en')} failures sent again to ${SUBSCRIBERS} subscribers in ${(tookMs / 1000).toFixed(0)} s; ${quiet.delivery.length} fresh events without them and`,
  `${during.delivery.length} with them, ${measuredWith}:`,
  '',
  '| a fresh event of another subscriber | without replays | with them | ratio |',
  '|---|---|---|---|',
  ...[0.5, 0.99].map(share => row('to the delivery', share, ({ delivery }) => delivery)),
  ...[0.5, 0.99].map(share => row('the request alone', share, ({ request }) => request)),
].join('\n')
console.log(report)
if (!dry) await writeInto(BENCH_README, 'replays', report)
process.exit(0)
