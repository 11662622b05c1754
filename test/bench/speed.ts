// Measures the speed of this checkout, and in turns of another one, and compares it with the goals.
// Run: npm run bench:speed -- [--compare COMMIT-or-FOLDER] [--posts 1000,10000,100000] [--rounds 3] [--dry]
import { parseArgs } from 'node:util'
import { checkoutsOf } from './checkout.ts'
import { BENCH_README, conditions, writeInto } from './report.ts'
import { type Amounts, measureSpeed } from './speed/speed.ts'
import { speedText } from './speed/tables.ts'

const { values: options } = parseArgs({
  options: {
    compare: { type: 'string' },
    posts: { type: 'string', default: '1000,10000,100000' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    dry: { type: 'boolean', default: false },
  },
})
function log(line: string) {
  return process.stderr.write(`${line}\n`)
}

const sites = options.posts.split(',').map(posts => ({ count: Number(posts), seed: Number(options.seed) }))
const ALL: Amounts = {
  sites,
  variants: [
    { categories: 500, scheduled: 1_000 },
    { categories: 5_000, scheduled: 10_000 },
  ],
  rounds: Number(options.rounds),
  requests: 200,
  forMs: 3_000,
  warm: 500,
  posts: 200,
  burst: 500,
  few: { subscribers: 10, events: 200, warm: 600 },
  many: { subscribers: 1_000, events: 10, warm: 1 },
}
/** Enough to see that everything runs. */
const LITTLE: Amounts = {
  sites,
  variants: [{ categories: 22, scheduled: 12 }],
  rounds: 1,
  requests: 4,
  forMs: 50,
  warm: 2,
  posts: 8,
  burst: 8,
  few: { subscribers: 2, events: 2, warm: 1 },
  many: { subscribers: 4, events: 2, warm: 1 },
}

const checkouts = checkoutsOf(options.compare)
const amounts = options.dry ? LITTLE : ALL
/** Taken before the run puts load on the machine. */
const measuredWith = conditions(new Date())
const text = speedText(await measureSpeed({ checkouts, amounts, log }), amounts, measuredWith)
console.log(text)
if (!options.dry) await writeInto(BENCH_README, 'speed', text)
