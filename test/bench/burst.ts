// Measures how soon a search finds many posts that are published together, and what that costs.
// Run: npm run bench:burst -- [--posts 500] [--file posts.jsonl.gz] [--dry]
import { parseArgs } from 'node:util'
import { readPosts } from '../import/source.ts'
import { OWN_CHECKOUT } from './checkout.ts'
import { BENCH_README, conditions, writeInto } from './report.ts'
import { shown } from './speed/goals.ts'
import { openSide, withService } from './speed/side.ts'
import { openTexts, textsOf } from './speed/texts.ts'
import { measureBurst } from './speed/writes.ts'

const { values: options } = parseArgs({
  options: {
    posts: { type: 'string', default: '500' },
    file: { type: 'string' },
    dry: { type: 'boolean', default: false },
  },
})
const count = Number(options.posts)
const textOf = options.file ? textsOf((await readPosts(options.file)).slice(0, count)) : openTexts()

const measuredWith = conditions(new Date())
const side = openSide('now', OWN_CHECKOUT)
const figures = await withService(side, { isCounted: true }, () => measureBurst(side, textOf, count))
await side.host.exit()

function cells(...keys: string[]): string {
  return keys.map(key => shown(figures[`burst.${key}`])).join(' | ')
}

const [answered, found, merged] = ['answered', 'found', 'merged'].map(key => shown(figures[`burst.${key}`]))
const report = [
  `${count} posts published at once, with ${measuredWith}: all responses after ${answered} s, all posts found after ${found} s, all queues empty after ${merged} s.`,
  '',
  '| per post | calls | units read | units written | failed calls, total |',
  '|---|---|---|---|---|',
  `| search index | ${cells('index.calls', 'index.read', 'index.write', 'index.failed')} |`,
  `| everything | ${cells('calls', 'read', 'write', 'failed')} |`,
].join('\n')
console.log(report)
if (!options.dry) await writeInto(BENCH_README, 'burst', report)
