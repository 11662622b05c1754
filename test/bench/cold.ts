// Measures what a cold start of each function costs: the size and load time of its bundle, and its init.
// Run: npm run bench:cold -- [--rounds 15 | --dry]
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { bundleFunctions } from '../../infra/bundle.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { openColdEnvironment } from './cold-environment.ts'
import { medianOf } from './median.ts'
import { BENCH_README, conditions, writeInto } from './report.ts'

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, dry: { type: 'boolean', default: false } },
})
/** One round of one function proves that the measurement runs, and is too small a sample for a result. */
const rounds = options.dry ? 1 : Number(options.rounds)
const all = Object.keys({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS })
const names = options.dry ? all.slice(0, 1) : all
function isApi(name: string): boolean {
  return name in API_FUNCTIONS
}

const project = fileURLToPath(new URL('../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'cold-'))
await bundleFunctions({ project, names, folder, warmed: names.filter(isApi) })
const measuredWith = conditions(new Date())
const { variablesOf, expectReads, stop } = await openColdEnvironment()
const SCRIPT = `
  const file = process.argv[1]
  const before = process.cpuUsage()
  const loading = file.endsWith('.mjs') ? import(file) : Promise.resolve(require(file))
  loading.then(() => {
    const { user, system } = process.cpuUsage(before)
    process.stdout.write(String((user + system) / 1000))
    process.exit()
  })
`
const run = promisify(execFile)

/**
 * Milliseconds of CPU time in a fresh process, since other work on the machine does not count in them. With
 * `init` the process has the name of a Lambda, so that the entry reads what it needs before its first event.
 */
async function load(name: string, { init = false } = {}): Promise<number> {
  const entry = join(folder, name, isApi(name) ? 'index.mjs' : 'index.cjs')
  const env = { ...variablesOf(name), ...(init && { AWS_LAMBDA_FUNCTION_NAME: name }) }
  const { stdout } = await run(process.execPath, ['-e', SCRIPT, entry], { env })
  return Number(stdout)
}

const times = new Map(names.map(name => [name, { load: [] as number[], init: [] as number[] }]))
for (let round = 0; round < rounds; round++) {
  for (const [name, { load: loaded, init }] of times) {
    loaded.push(await load(name))
    if (isApi(name)) init.push(await load(name, { init: true }))
  }
}
expectReads(names.filter(isApi), rounds)
const rows: string[] = []
for (const [name, { load: loaded, init }] of times) {
  const { size } = await stat(join(folder, name, 'index.cjs'))
  const cells = [(size / 1000).toFixed(0), medianOf(loaded).toFixed(0)]
  rows.push(`| \`${name}\` | ${cells.join(' | ')} | ${isApi(name) ? medianOf(init).toFixed(0) : ''} |`)
}
await stop()
await rm(folder, { recursive: true })

const text = [
  `Medians of ${rounds} rounds, in ms of CPU time. ${measuredWith}:`,
  '',
  '| function | kB | load, ms | init with reads, ms |',
  '|---|---|---|---|',
  ...rows,
].join('\n')
console.log(text)
if (!options.dry) await writeInto(BENCH_README, 'cold', text)
process.exit(0)
