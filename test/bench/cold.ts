// Measures size and load time of each bundle, compared with an empty handler that builds the same clients,
// in our bundle and in esbuild's default one. Run: npm run bench:cold -- [samples | --dry]
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { bundleFunctions } from '../../infra/bundle.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
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

/** The environment of a function, except for its name, so that it does not wait for connections. */
const env = {
  PATH: process.env.PATH,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'cold',
  AWS_SECRET_ACCESS_KEY: 'cold',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  TABLE_NAME: 'cold',
  SITE_URL: 'https://site.example',
  CLIENT_KEY: 'the key of client addresses',
  LINK_KEY: 'the key of links in mails',
  WEBHOOK_KEY: 'the key of webhook secrets',
}
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
/** Milliseconds of CPU time in a fresh process, since other work on the machine does not count in them. */
function load(name: string): number {
  return Number(execFileSync(process.execPath, ['-e', SCRIPT, entryOf(name)], { env, encoding: 'utf8' }))
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** Loads the three bundles in turn, so that other work on the machine affects them alike. */
function measureFunction(name: string) {
  const rounds = Array.from({ length: samples }, () => ({
    plainMs: load('plain'),
    emptyMs: load('empty'),
    ms: load(name),
  }))
  return {
    name,
    ms: median(rounds.map(({ ms }) => ms)),
    emptyMs: median(rounds.map(({ emptyMs }) => emptyMs)),
    plainMs: median(rounds.map(({ plainMs }) => plainMs)),
    ratioToEmpty: median(rounds.map(({ ms, emptyMs }) => ms / emptyMs)),
    ratioToPlain: median(rounds.map(({ ms, plainMs }) => ms / plainMs)),
  }
}

const rows = []
for (const name of names) {
  const { size } = await stat(fileOf(name))
  const row = { ...measureFunction(name), bytes: size, isApi: name in API_FUNCTIONS }
  const { ms, ratioToEmpty, ratioToPlain } = row
  process.stderr.write(
    `${name}: ${(size / 1000).toFixed(0)} kB, ${ms.toFixed(0)} ms, ${ratioToEmpty.toFixed(2)}, ${ratioToPlain.toFixed(2)}\n`,
  )
  rows.push(row)
}
await rm(folder, { recursive: true })

const lines = rows.map(({ name, bytes, ms, ratioToEmpty, ratioToPlain }) => {
  const cells = [
    `\`${name}\``,
    (bytes / 1000).toFixed(0),
    ms.toFixed(0),
    ratioToEmpty.toFixed(2),
    ratioToPlain.toFixed(2),
  ]
  return `| ${cells.join(' | ')} |`
})
const emptyMs = median(rows.map(row => row.emptyMs)).toFixed(0)
const plainMs = median(rows.map(row => row.plainMs)).toFixed(0)
const text = [
  `Medians of ${samples} rounds, in ms of CPU time; an empty handler takes ${emptyMs}, in a plain bundle ${plainMs}. ${conditions(new Date())}:`,
  '',
  '| function | kB | load, ms | ÷ empty handler | ÷ empty handler, plain bundle |',
  '|---|---|---|---|---|',
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
