// `npm run bench` measures the cost of every kind of request at 1,000, 10,000 and 100,000 posts.
import { parseArgs } from 'node:util'
import { openLocalTable } from '../../infra/local/dynamodb/local-table.ts'
import type { LocalService } from '../../infra/local/run-stack.ts'
import { buildAssembly } from '../world/assembly.ts'
import { createLatency } from '../world/faults/latency.ts'
import { exceeded } from './budgets.ts'
import { openCachedSite, untilQueuesAreEmpty } from './cached-site.ts'
import { checkSearch } from './check-search.ts'
import { OWN_CHECKOUT } from './checkout.ts'
import { openCountedService } from './counted-service.ts'
import { fingerprint } from './fingerprint.ts'
import { functionNames } from './function-names.ts'
import { createTargets, measureSite } from './measure.ts'
import {
  BENCH_README,
  conditions,
  FRONT_PAGE,
  frontPageRows,
  type SiteFigures,
  tableOf,
  writeInto,
} from './report.ts'
import { rowsFor, type Targets } from './rows.ts'
import { openSite, type Site } from './site.ts'
import { openCpuClock } from './thread-cpu.ts'
import { type Times, timeRow, timeWrites } from './time.ts'

const { values: options } = parseArgs({
  options: {
    posts: { type: 'string', default: '1000,10000,100000' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '16' },
    requests: { type: 'string', default: '200' },
    dry: { type: 'boolean', default: false },
  },
})
const counts = options.posts.split(',').map(Number)
const seed = Number(options.seed)
const clients = Number(options.clients)
const requests = Number(options.requests)
/** A node of 32 entries is split by at least one of this many changes. */
const LIVES = 34
function log(line: string) {
  return process.stderr.write(`${line}\n`)
}

const assembly = await buildAssembly({ log })
const storedFormat = await fingerprint(seed)
const problems: string[] = []
const sizes: SiteFigures[] = []
let concurrent = new Map<string, Times>()
let delayed = new Map<string, Times>()
const takeCpu = openCpuClock(functionNames(OWN_CHECKOUT))
for (const count of counts) {
  log(`${count.toLocaleString('en')} posts`)
  const site = openSite({ count, seed })
  const open = { site, fingerprint: storedFormat, assembly, log }
  const service = await openCachedSite(open)
  sizes.push(await countAndTime(site, service, count === counts.at(-1)))
  await service.stop()
  if (count === counts.at(-1) && requests > 0) delayed = await timeDelayed(open)
}

/** Times of one client when each call takes as long as in a region of AWS. */
async function timeDelayed(options: Parameters<typeof openCachedSite>[0]): Promise<Map<string, Times>> {
  log('Timing requests with the latencies of AWS …')
  const service = await openCachedSite({ ...options, interceptors: [createLatency()] })
  const { dynamodbEndpoint, tableName } = service
  const targets = await createTargets(openLocalTable(dynamodbEndpoint, tableName), options.site, nowSeconds())
  const times = await timeAll(service, targets, { clients: 1, requests: requests / 4 })
  await service.stop()
  return times
}

type Load = Parameters<typeof timeRow>[2]

async function timeAll(service: LocalService, targets: Targets, load: Load): Promise<Map<string, Times>> {
  const times = new Map<string, Times>()
  for (const row of rowsFor(targets)) times.set(row.name, await timeRow(service.baseUrl, row, load))
  const writes = await timeWrites(service.baseUrl, targets.token, { ...load, requests: load.requests / 5 })
  await untilQueuesAreEmpty(service)
  return new Map([...times, ...writes])
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

async function countAndTime(
  site: Site,
  service: Awaited<ReturnType<typeof openCachedSite>>,
  isLargest: boolean,
): Promise<SiteFigures> {
  const { dynamodbEndpoint: endpoint, tableName } = service
  const counted = openCountedService({ endpoint, tableName })
  log('Comparing searches with a plain scan …')
  const { wrong, count } = await checkSearch(site, counted.nowSeconds)
  problems.push(...wrong)
  log(`${count - wrong.length} of ${count} searches agree with a plain scan.`)
  log('Counting round trips and units …')
  const costs = await measureSite(counted, site, LIVES)
  problems.push(...exceeded(costs).map(line => `${line}, at ${site.count} posts`))
  if (requests === 0) return { count: site.count, costs, singleClientTimes: new Map() }
  log('Timing requests through the gateway …')
  const targets = await createTargets(counted.table, site, nowSeconds())
  const singleClientTimes = await timeAll(service, targets, { clients: 1, requests, takeCpu })
  if (isLargest) concurrent = await timeAll(service, targets, { clients, requests: requests * 3 })
  counted.stop()
  return { count: site.count, costs, singleClientTimes }
}

const table = tableOf(sizes, { clients, concurrent, delayed })
const text = `Measured with ${conditions(new Date())}:\n\n${table}`
console.log(text)
if (!options.dry) {
  await writeInto(BENCH_README, 'bench', text)
  await writeInto(FRONT_PAGE, 'costs', frontPageRows(table))
}
for (const problem of problems) log(`Failed: ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)
