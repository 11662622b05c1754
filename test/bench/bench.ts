// `npm run bench` measures the cost of every kind of request at 1,000, 10,000 and 100,000 posts.
import { parseArgs } from 'node:util'
import { buildAssembly } from '../../infra/local/build.ts'
import { exceeded } from './budgets.ts'
import { openCachedSite, untilQueuesAreEmpty } from './cached-site.ts'
import { checkSearch } from './check-search.ts'
import { openCountedService } from './counted-service.ts'
import { fingerprint } from './fingerprint.ts'
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
import { rowsFor } from './rows.ts'
import { openSite, type Site } from './site.ts'
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
let concurrentTimes = new Map<string, Times>()
for (const count of counts) {
  log(`${count.toLocaleString('en')} posts`)
  const site = openSite({ count, seed })
  const service = await openCachedSite({ site, fingerprint: storedFormat, assembly, log })
  sizes.push(await countAndTime(site, service, count === counts.at(-1)))
  await service.stop()
}

async function countAndTime(
  site: Site,
  service: Awaited<ReturnType<typeof openCachedSite>>,
  isLargest: boolean,
): Promise<SiteFigures> {
  const { baseUrl, dynamodbEndpoint: endpoint, tableName } = service
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
  const targets = await createTargets(counted.table, site, Math.floor(Date.now() / 1000))
  const timed = async (load: { clients: number; requests: number }) => {
    const times = new Map<string, Times>()
    for (const row of rowsFor(targets)) times.set(row.name, await timeRow(baseUrl, row, load))
    const writes = await timeWrites(baseUrl, targets.token, { ...load, requests: load.requests / 5 })
    await untilQueuesAreEmpty(service)
    return new Map([...times, ...writes])
  }
  const singleClientTimes = await timed({ clients: 1, requests })
  if (isLargest) concurrentTimes = await timed({ clients, requests: requests * 3 })
  counted.stop()
  return { count: site.count, costs, singleClientTimes }
}

const table = tableOf(sizes, { clients, times: concurrentTimes })
const text = `Measured with ${conditions(new Date())}:\n\n${table}`
console.log(text)
if (!options.dry) {
  await writeInto(BENCH_README, 'bench', text)
  await writeInto(FRONT_PAGE, 'costs', frontPageRows(table))
}
for (const problem of problems) log(`Failed: ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)
