// Measures size, load time and init of each bundle, compared with an empty handler that builds the same
// clients, in our bundle and in esbuild's default one. Run: npm run bench:cold -- [samples | --dry]
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { build } from 'esbuild'
import { bundleFunctions } from '../../infra/bundle.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { openColdEnvironment } from './cold-environment.ts'
import { medianOf } from './median.ts'
import { BENCH_README, conditions, writeInto } from './report.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { dry: { type: 'boolean', default: false } },
})
const samples = options.dry ? 1 : Number(positionals[0] ?? 15)
const LARGEST_BYTES = 600_000
const SLOWEST = 1.25

const project = fileURLToPath(new URL('../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'cold-'))
const all = Object.keys({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS })
const names = options.dry ? all.slice(0, 1) : all
await bundleFunctions({ project, names, folder, warmed: names.filter(name => name in API_FUNCTIONS) })
const emptyProject = join(project, 'test/bench/cold')
await bundleFunctions({ project: emptyProject, names: ['empty'], folder })
function fileOf(name: string) {
  return join(folder, name, 'index.cjs')
}

/** The file that Lambda loads. */
function entryOf(name: string) {
  return name in API_FUNCTIONS ? join(folder, name, 'index.mjs') : fileOf(name)
}

await build({
  entryPoints: [join(emptyProject, 'functions/empty.ts')],
  outfile: fileOf('plain'),
  bundle: true,
  minify: true,
  platform: 'node',
  mainFields: ['module', 'main'],
  target: 'node24',
  logLevel: 'warning',
})

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
  const env = { ...variablesOf(name), ...(init && { AWS_LAMBDA_FUNCTION_NAME: name }) }
  const { stdout } = await run(process.execPath, ['-e', SCRIPT, entryOf(name)], { env })
  return Number(stdout)
}

type Round = { plainMs: number; emptyMs: number; ms: number; initMs: number }

/** Loads the bundles in turn, so that other work on the machine affects them alike. */
async function measureFunction(name: string) {
  const rounds: Round[] = []
  for (let n = 0; n < samples; n++) {
    rounds.push({
      plainMs: await load('plain'),
      emptyMs: await load('empty'),
      ms: await load(name),
      initMs: await load(name, { init: true }),
    })
  }
  return {
    name,
    ms: medianOf(rounds.map(({ ms }) => ms)),
    initMs: medianOf(rounds.map(({ initMs }) => initMs)),
    emptyMs: medianOf(rounds.map(({ emptyMs }) => emptyMs)),
    plainMs: medianOf(rounds.map(({ plainMs }) => plainMs)),
    ratioToEmpty: medianOf(rounds.map(({ ms, emptyMs }) => ms / emptyMs)),
    ratioToPlain: medianOf(rounds.map(({ ms, plainMs }) => ms / plainMs)),
  }
}

const rows = []
for (const name of names) {
  const { size } = await stat(fileOf(name))
  const row = { ...(await measureFunction(name)), bytes: size, isApi: name in API_FUNCTIONS }
  const { ms, initMs, ratioToEmpty, ratioToPlain } = row
  process.stderr.write(
    `${name}: ${(size / 1000).toFixed(0)} kB, ${ms.toFixed(0)} ms, with reads ${initMs.toFixed(0)} ms, ${ratioToEmpty.toFixed(2)}, ${ratioToPlain.toFixed(2)}\n`,
  )
  rows.push(row)
}
expectReads(
  names.filter(name => name in API_FUNCTIONS),
  samples,
)
await stop()
await rm(folder, { recursive: true })

const lines = rows.map(({ name, bytes, ms, initMs, isApi, ratioToEmpty, ratioToPlain }) => {
  const cells = [
    `\`${name}\``,
    (bytes / 1000).toFixed(0),
    ms.toFixed(0),
    ratioToEmpty.toFixed(2),
    ratioToPlain.toFixed(2),
    isApi ? initMs.toFixed(0) : '',
  ]
  return `| ${cells.join(' | ')} |`
})
const emptyMs = medianOf(rows.map(row => row.emptyMs)).toFixed(0)
const plainMs = medianOf(rows.map(row => row.plainMs)).toFixed(0)
const text = [
  `Medians of ${samples} rounds, in ms of CPU time; an empty handler takes ${emptyMs}, in a plain bundle ${plainMs}. ${conditions(new Date())}:`,
  '',
  '| function | kB | load, ms | ÷ empty handler | ÷ empty handler, plain bundle | init with reads, ms |',
  '|---|---|---|---|---|---|',
  ...lines,
].join('\n')
console.log(text)
// One round of one function proves that the measurement runs, and is too small a sample for a result.
if (options.dry) process.exit(0)
await writeInto(BENCH_README, 'cold', text)

const problems = rows
  .filter(({ isApi }) => isApi)
  .flatMap(({ name, bytes, ratioToEmpty }) => [
    ...(bytes > LARGEST_BYTES ? [`${name} has ${bytes} bytes; at most ${LARGEST_BYTES} are allowed`] : []),
    ...(ratioToEmpty > SLOWEST
      ? [
          `${name} takes ${ratioToEmpty.toFixed(2)} times as long as an empty handler; at most ${SLOWEST} is allowed`,
        ]
      : []),
  ])
for (const problem of problems) process.stderr.write(`Failed: ${problem}\n`)
process.exit(problems.length > 0 ? 1 : 0)
