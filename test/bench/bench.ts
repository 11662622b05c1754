// Measures this checkout over HTTP, and in turns another commit; or cold starts. Run: npm run bench --
// [--compare COMMIT] [--posts 100000] [--import FOLDER] [--rounds 3] [--little] [--dry] [--cold]
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureColdStarts } from './cold.ts'
import { checkOut } from './compare/checkout.ts'
import { compare, type Side } from './compare/compare.ts'
import { type Amounts, frontPageTable, missedFloors, tableOf } from './compare/figures.ts'
import { BENCH_README, conditions, FRONT_PAGE, writeInto } from './report.ts'
import { openSite } from './site.ts'

const { values: options } = parseArgs({
  options: {
    compare: { type: 'string' },
    posts: { type: 'string', default: '100000' },
    import: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    little: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    cold: { type: 'boolean', default: false },
  },
})
if (options.cold) {
  console.log(await measureColdStarts(Number(options.rounds)))
  process.exit(0)
}
const ALL: Amounts = {
  rounds: Number(options.rounds),
  requests: 200,
  forMs: 3_000,
  posts: 200,
  few: { subscribers: 10, posts: 10 },
  many: { subscribers: 100, posts: 40 },
  idleMs: 45_000,
}
/** Enough to see that everything runs. */
const LITTLE: Amounts = {
  rounds: 1,
  requests: 4,
  forMs: 50,
  posts: 4,
  few: { subscribers: 1, posts: 2 },
  many: { subscribers: 2, posts: 2 },
  idleMs: 100,
}
const amounts = options.little ? LITTLE : ALL
const site = openSite({ count: Number(options.posts), seed: 1 })
function log(line: string) {
  return process.stderr.write(`${line}\n`)
}

const now: Side = { name: 'now', checkout: checkOut(), figures: {} }
const before = options.compare && { name: options.compare, checkout: checkOut(options.compare), figures: {} }
const sides = before ? [before, now] : [now]
/** Taken before the run puts load on the machine. */
const measuredWith = conditions(new Date())
const folder = options.import && resolve(options.import)
await compare(sides, { site, amounts, folder, log })
const text = `${site.count.toLocaleString('en')} posts, ${measuredWith}:\n\n${tableOf(sides)}`
console.log(text)
for (const line of before ? missedFloors(before.figures, now.figures) : []) log(`Misses its floor: ${line}`)
if (!options.dry) {
  await writeInto(BENCH_README, 'bench', text)
  await writeInto(FRONT_PAGE, 'speed', frontPageTable(now.figures))
}
process.exit(0)
