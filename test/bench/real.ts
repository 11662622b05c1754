// Publishes the posts of a real site, finds each by its words, and counts what they cost.
// Run: npm run bench:real -- posts.jsonl.gz [--posts 1000] [--compare COMMIT-or-FOLDER] [--dry]
import { parseArgs } from 'node:util'
import { readPosts } from '../import/source.ts'
import { checkoutsOf } from './checkout.ts'
import { measureReal } from './real/measure-real.ts'
import { tableOfReal } from './real/report-real.ts'
import { BENCH_README, conditions, writeInto } from './report.ts'
import { openSide } from './speed/side.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    posts: { type: 'string' },
    compare: { type: 'string' },
    dry: { type: 'boolean', default: false },
  },
})
const [file] = positionals
if (!file) throw new Error('The file of posts is missing. Run: npm run bench:real -- posts.jsonl.gz')
function log(line: string) {
  return process.stderr.write(`${line}\n`)
}

const posts = (await readPosts(file)).slice(0, Number(options.posts ?? Number.POSITIVE_INFINITY))
const measuredWith = conditions(new Date())
const measured = []
for (const { name, folder } of checkoutsOf(options.compare)) {
  log(`${name}: ${posts.length} posts …`)
  const side = openSide(name, folder)
  measured.push({ name, ...(await measureReal(side, posts, log)) })
  await side.host.exit()
}
const text = [
  `${posts.length.toLocaleString('en')} posts of a real site, with ${measuredWith}:`,
  '',
  tableOfReal(measured),
].join('\n')
console.log(text)
if (!options.dry) await writeInto(BENCH_README, 'real', text)
const problems = measured.flatMap(({ name, problems }) => problems.map(problem => `${name}: ${problem}`))
for (const problem of problems.slice(0, 20)) log(`Failed: ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)
