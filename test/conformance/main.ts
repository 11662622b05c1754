// Runs the suite as its command line says, prints its progress and its table, and returns the exit code.
import { at, shown } from './answer.ts'
import type { Section } from './check.ts'
import { LIMITS, REQUEST_LIMITS } from './checks/limits.ts'
import { Unreachable } from './client.ts'
import { type Options, readOptions, USAGE, UsageError } from './options.ts'
import { type Result, runSuite } from './runner.ts'
import { openSuite, type Suite } from './suite.ts'
import { exitCodeOf, tableOf } from './table.ts'

export type Surroundings = {
  env: Record<string, string | undefined>
  out: (line: string) => void
  err: (line: string) => void
  /** Registers what Ctrl-C does the first time; the second time it ends the process. */
  onInterrupt: (interrupt: () => void) => void
}

const COULD_NOT_RUN = 2
const SIGNS = { held: '✓', 'fell short': '✗', 'not run': '–' }

export async function main(args: string[], { env, out, err, onInterrupt }: Surroundings): Promise<number> {
  try {
    const options = readOptions(args, env)
    if (options) return await run(options, { out, err, onInterrupt })
    out(USAGE)
    return 0
  } catch (error) {
    if (error instanceof UsageError) {
      err(`${error.message} See npm run conformance -- --help.`)
      return COULD_NOT_RUN
    }
    if (error instanceof Unreachable) {
      err(`${error.message} Check the address, and whether the service runs.`)
      return COULD_NOT_RUN
    }
    throw error
  }
}

async function run(options: Options, { out, err, onInterrupt }: Omit<Surroundings, 'env'>): Promise<number> {
  if (options.warning) err(options.warning)
  const suite = openSuite({ ...options.suite, log: err })
  const print = progress(out, options.isWhole)
  onInterrupt(() => {
    err('Interrupted. Deleting what was created; press Ctrl-C again to leave it.')
    suite.interrupt()
  })
  try {
    const problem = await problemOf(suite, options.suite.userToken !== undefined)
    if (problem) {
      err(problem)
      return COULD_NOT_RUN
    }
    out(`Checking ${suite.baseUrl}; what is created has “${suite.mark}” in its name.`)
    const isShown = ({ outcome }: Result) => !options.suite.isReading || outcome !== 'not run'
    const ran = await runSuite(suite, {
      includes: includedBy(options),
      onResult: result => isShown(result) && print(result),
      onCleanUp: count => err(`Deleting ${count} records.`),
    })
    const report = { ...ran, results: ran.results.filter(isShown) }
    for (const line of tableOf(report, options.isWhole)) out(line)
    return exitCodeOf(report)
  } finally {
    await suite.stop()
  }
}

function includedBy({ only = '', suite }: Options): (sentence: string, section: Section) => boolean {
  return (sentence, section) => {
    const isNamed = `${section.title}\n${sentence}`.toLowerCase().includes(only.toLowerCase())
    // To show a limit, one reaches it.
    const isLimit = section === LIMITS || section === REQUEST_LIMITS
    return isNamed && !(suite.isReading && isLimit)
  }
}

/** A line for each section, and for each sentence that did not hold or if all were asked for. */
function progress(out: (line: string) => void, isWhole: boolean): (result: Result) => void {
  let current: Section | undefined
  return ({ section, sentence, outcome }) => {
    if (section !== current) out(section.title)
    current = section
    if (isWhole || outcome !== 'held') out(`  ${SIGNS[outcome]} ${sentence}`)
  }
}

/** What is wrong with the address or a token, and what to do; undefined if both are right. */
async function problemOf(suite: Suite, hasUserToken: boolean): Promise<string | undefined> {
  const { baseUrl } = suite
  const health = await suite.reader('GET', '/health')
  if (typeof at(health, 'success') !== 'boolean') {
    const answer = `${health.status} ${shown(health.text)}`
    return `${baseUrl}/api/v1/health answered ${answer}: nothing there speaks this API. Check the address.`
  }
  const admin = await suite.admin('GET', '/admin/categories')
  if (admin.status === 401) {
    return 'The service does not know the admin token (ADMIN_TOKEN). Create a new one.'
  }
  if (admin.status === 403) {
    return 'The admin token (ADMIN_TOKEN) lacks the ability admin, or its user is banned. Create another one.'
  }
  if (admin.status === 503) return `The service is not available: ${shown(at(admin, 'message'))}.`
  if (!hasUserToken) return undefined
  const user = await suite.user('GET', '/me')
  if (user.status === 401) return 'The service does not know the user token (USER_TOKEN). Create a new one.'
  if (user.status === 403) return 'The user token (USER_TOKEN) lacks the ability user. Create another one.'
  const asAdmin = await suite.user('GET', '/admin/categories')
  if (asAdmin.status === 200) return 'The user token (USER_TOKEN) has the ability admin. Use one without it.'
  return undefined
}
