// `npm run bench`: what every kind of request costs at 1,000, 10,000 and 100,000 posts, as a table in the README.
import { parseArgs } from 'node:util'
import { buildAssembly } from '../../infra/local/build.ts'
import { exceeded } from './budgets.ts'
import { checkSearch } from './check-search.ts'
import { openCountedService } from './counted-service.ts'
import { fingerprint } from './fingerprint.ts'
import { openKeptSite, untilQuiet } from './kept-site.ts'
import { knownOf, measureSite } from './measure.ts'
import {
  BENCH_README,
  conditions,
  FRONT_PAGE,
  frontPageRows,
  type Measured,
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
/** A range of 32 is split by one of so many at least. */
const LIVES = 34
function log(line: string) {
  return process.stderr.write(`${line}\n`)
}

const assembly = await buildAssembly({ log })
const kept = await fingerprint(seed)
const problems: string[] = []
const sizes: Measured[] = []
let beside = new Map<string, Times>()
for (const count of counts) {
  log(`${count.toLocaleString('en')} posts`)
  const site = openSite({ count, seed })
  const service = await openKeptSite({ site, fingerprint: kept, assembly, log })
  sizes.push(await countAndTime(site, service, count === counts.at(-1)))
  await service.stop()
}

async function countAndTime(
  site: Site,
  service: Awaited<ReturnType<typeof openKeptSite>>,
  isLargest: boolean,
): Promise<Measured> {
  const { baseUrl, dynamodbEndpoint: endpoint, tableName } = service
  const counted = openCountedService({ endpoint, tableName })
  log('Searching, and by a plain scan …')
  const { wrong, count } = await checkSearch(site, counted.nowSeconds)
  problems.push(...wrong)
  log(`${count - wrong.length} of ${count} searches found what a plain scan finds.`)
  log('Counting round trips and units …')
  const costs = await measureSite(counted, site, LIVES)
  problems.push(...exceeded(costs).map(line => `${line}, at ${site.count} posts`))
  if (requests === 0) return { count: site.count, costs, alone: new Map() }
  log('Taking times through the gateway …')
  const known = await knownOf(counted.table, site, Math.floor(Date.now() / 1000))
  const timed = async (load: { clients: number; requests: number }) => {
    const times = new Map<string, Times>()
    for (const row of rowsFor(known)) times.set(row.name, await timeRow(baseUrl, row, load))
    const writes = await timeWrites(baseUrl, known.token, { ...load, requests: load.requests / 5 })
    await untilQuiet(service)
    return new Map([...times, ...writes])
  }
  const alone = await timed({ clients: 1, requests })
  if (isLargest) beside = await timed({ clients, requests: requests * 3 })
  counted.stop()
  return { count: site.count, costs, alone }
}

const table = tableOf(sizes, { clients, times: beside })
const text = `Measured with ${conditions(new Date())}:\n\n${table}`
console.log(text)
if (!options.dry) {
  await writeInto(BENCH_README, 'bench', text)
  await writeInto(FRONT_PAGE, 'costs', frontPageRows(table))
}
for (const problem of problems) log(`Not as it should be: ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)
