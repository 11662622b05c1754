// `npm run bench:dearest` counts what strangers and fresh users can set off, for the README.
import { parseArgs } from 'node:util'
import { startTable } from '../world/table.ts'
import { countDearest, dearestTable } from './count-dearest.ts'
import { openCountedService } from './counted-service.ts'
import { loadSite } from './load.ts'
import { createTargets } from './measure.ts'
import { BENCH_README, writeInto } from './report.ts'
import { openSite } from './site.ts'

const { values: options } = parseArgs({
  options: { posts: { type: 'string', default: '2000' }, dry: { type: 'boolean', default: false } },
})
const world = await startTable()
const site = openSite({ count: Number(options.posts), seed: 1 })
await loadSite(world.table, site)
const service = openCountedService(world)
const targets = await createTargets(service.table, site, service.nowSeconds)
const text = `On a site of ${options.posts} posts:\n\n${dearestTable(await countDearest(service, site, targets))}`
console.log(text)
if (!options.dry) await writeInto(BENCH_README, 'dearest', text)
service.stop()
await world.stop()
process.exit(0)
