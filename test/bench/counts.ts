// Counts what requests cost on generated sites: each request, and the dearest that strangers can send.
// Run: node infra/launch.cjs test/bench/counts.ts [--posts 1000,10000] [--dry]
import { parseArgs } from 'node:util'
import { startTable } from '../world/table.ts'
import { exceeded } from './budgets.ts'
import { countDearest, dearestTable } from './count-dearest.ts'
import { type CountedService, openCountedService } from './counted-service.ts'
import { loadSite } from './load.ts'
import { createTargets, measureSite } from './measure.ts'
import { BENCH_README, type SiteCosts, tableOf, writeInto } from './report.ts'
import { openSite, type Site } from './site.ts'

const { values: options } = parseArgs({
  options: {
    posts: { type: 'string', default: '1000,10000' },
    dry: { type: 'boolean', default: false },
  },
})
/** A node of 32 entries is split by at least one of this many changes. */
const LIVES = 34

async function onSite<T>(count: number, run: (service: CountedService, site: Site) => Promise<T>) {
  process.stderr.write(`${count.toLocaleString('en')} posts …\n`)
  const site = openSite({ count, seed: 1 })
  const world = await startTable()
  await loadSite(world.table, site)
  const service = openCountedService(world)
  const result = await run(service, site)
  service.stop()
  await world.stop()
  return result
}

const sizes: SiteCosts[] = []
for (const count of options.posts.split(',').map(Number)) {
  const costs = await onSite(count, (service, site) => measureSite(service, site, LIVES))
  sizes.push({ count, costs })
}
const table = tableOf(sizes)
console.log(table)
const smallest = sizes[0]?.count ?? 0
const dearest = await onSite(smallest, async (service, site) =>
  dearestTable(
    await countDearest(service, site, await createTargets(service.table, site, service.nowSeconds)),
  ),
)
const ofStrangers = `On a site of ${smallest.toLocaleString('en')} posts:\n\n${dearest}`
console.log(ofStrangers)
if (!options.dry) {
  await writeInto(BENCH_README, 'counts', table)
  await writeInto(BENCH_README, 'dearest', ofStrangers)
}
const problems = sizes.flatMap(({ count, costs }) =>
  exceeded(costs).map(line => `${line}, at ${count} posts`),
)
for (const problem of problems) process.stderr.write(`Failed: ${problem}\n`)
process.exit(problems.length > 0 ? 1 : 0)
