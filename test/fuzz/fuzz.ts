// Runs schemathesis with the OpenAPI document against a fresh service.
// CASES=500 sets the approximate number of requests; SEED=… repeats a run.
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { installPython } from '../support/python.ts'
import { decisionOn } from './decisions.ts'
import { type Finding, readReport } from './report.ts'
import { startService } from './service.ts'

const requirements = new URL('requirements.txt', import.meta.url).pathname
/** Settings for which schemathesis has no option. */
const HOOKS = new URL('hooks.py', import.meta.url).pathname
const CASES = Number(process.env.CASES ?? 10_000)
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)

const OPERATIONS = 80
/** The usual number of requests in one sequence. */
const REQUESTS_PER_SEQUENCE = 11

type Run = {
  name: string
  /** The name of its token; without it, requests have no token. */
  token?: string
  /** Its share of all requests. */
  share: number
  only?: string[]
  without?: string[]
  phases: string
}

/** These operations revoke tokens or change all answers, so they run last and with their own token. */
const DISRUPTIVE = ['logout', 'deleteToken', 'adminChangeSettings']

/** The shares add up to more than 1, because a run ends early when an operation has few distinct requests. */
const RUNS: Run[] = [
  { name: 'with a token', token: 'fuzz', share: 0.6, without: DISRUPTIVE, phases: 'fuzzing' },
  { name: 'in sequences', token: 'sequences', share: 0.15, without: DISRUPTIVE, phases: 'stateful' },
  { name: 'without a token', share: 0.25, phases: 'fuzzing' },
  { name: 'disruptive operations', token: 'own', share: 0.15, only: DISRUPTIVE, phases: 'fuzzing' },
]

/** At least two examples of each operation, or two sequences, so that every operation is tried. */
function examplesOf({ share, only, phases }: Run, requested: number): number {
  const requests = phases === 'stateful' ? REQUESTS_PER_SEQUENCE : (only?.length ?? OPERATIONS)
  return Math.max(2, Math.ceil((requested * share) / requests))
}

function argumentsOf(run: Run, token: string | undefined, baseUrl: string, report: string): string[] {
  return [
    ...['--no-color', 'run', `${baseUrl}/openapi.json`, '--phases', run.phases, '--seed', String(SEED)],
    ...['--max-examples', String(examplesOf(run, CASES)), '--continue-on-failure', '--no-shrink'],
    ...['--generation-database', 'none', '--suppress-health-check', 'all', '--warnings', 'off'],
    ...['--report', 'ndjson', '--report-ndjson-path', report, '--output-sanitize', 'false'],
    ...(token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`]),
    ...(run.only ?? []).flatMap(name => ['--include-operation-id', name]),
    ...(run.without ?? []).flatMap(name => ['--exclude-operation-id', name]),
  ]
}

function print({ check, operation, status, message, description, request, answer }: Finding): void {
  const lines = [`${check}: ${operation} answered ${status}`, message, description, request, answer]
  console.log(lines.map(line => line.slice(0, 1_000)).join('\n    '))
}

async function main(): Promise<void> {
  const scripts = installPython({ name: 'schemathesis', folder: 'fuzz', requirements })
  if (scripts === undefined) return
  console.log(`seed ${SEED} (run again with SEED=${SEED})`)
  const service = await startService()
  const decided = new Map<string, number>()
  let undecided = 0
  const sent: number[] = []
  try {
    const tokens = RUNS.map(({ token }) => token && service.token(token))
    for (const [n, run] of RUNS.entries()) {
      const report = join(service.folder, `report-${n}.ndjson`)
      const output = process.env.VERBOSE ? 'inherit' : 'ignore'
      const args = argumentsOf(run, tokens[n], service.baseUrl, report)
      const env = { ...process.env, SCHEMATHESIS_HOOKS: HOOKS }
      const options: SpawnOptions = { cwd: service.folder, env, stdio: ['ignore', output, 'inherit'] }
      const child = spawn(join(scripts, 'schemathesis'), args, options)
      const [status] = await once(child, 'exit')
      // Status 1 means findings; any other one means that the run broke off.
      if (status !== 0 && status !== 1) {
        throw new Error(`schemathesis ended with status ${status}. VERBOSE=1 shows its output.`)
      }
      const found = await readReport(report)
      sent.push(found.cases)
      for (const error of found.errors) console.log(error)
      undecided += found.errors.length
      for (const finding of found.findings) {
        const reason = decisionOn(finding)
        if (reason === undefined) {
          print(finding)
          undecided++
        } else {
          decided.set(reason, (decided.get(reason) ?? 0) + 1)
        }
      }
      console.log(`${run.name}: ${found.cases} requests`)
    }
  } finally {
    await service.stop()
  }
  for (const [reason, times] of decided) console.log(`expected, ${times} times: ${reason}`)
  const all = sent.reduce((sum, count) => sum + count, 0)
  console.log(`${all} requests of about ${CASES}, ${undecided} unexpected findings`)
  if (undecided > 0 || sent.includes(0) || all < CASES / 2) process.exitCode = 1
}

await main()
