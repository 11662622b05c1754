// `npm start`: runs the service on this machine, and prints its address and credentials.
import { openBackgroundThread } from './background-thread.ts'
import { type Log, openLog } from './log.ts'
import { DOCS_PATH } from './pages/pages.ts'
import type { OwnerWithTokens } from './seed.ts'
import type { LocalService } from './service.ts'
import { readOptions, type StartOptions, USAGE, UsageError } from './start-options.ts'
import { openState, type State, setPrivateUmask, writeJsonAtomically } from './state.ts'

/** Prints errors of the start itself. stdout is only for the result. */
function report(line: string) {
  return process.stderr.write(`${line}\n`)
}

/** Progress, and the output of functions. */
let log: Log = report
// Without a listener, a closed pipe (`npm start | head -2`) would end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

setPrivateUmask()

let service: LocalService | undefined
let ending = false
const FORCE_AFTER_MS = 5000

async function start(options: StartOptions): Promise<void> {
  log = openLog(options.logLevel)
  // Opened first, so that a wrong file is found before anything is started. Most starts need no import.
  const { importFile } = options
  const importContent = importFile && (await (await import('./import-content.ts')).openContent(importFile))
  const state = await openState(options.stateFolder, { reset: options.reset })
  const background = openBackgroundThread({ folders: state, log })
  // openService reports its failure.
  background.catch(() => {})
  // While the thread loads its modules, this one loads its own.
  const [{ openService }, { openLocalTable }, { createOwner, seed }] = await Promise.all([
    import('./service.ts'),
    import('./dynamodb/table.ts'),
    import('./seed.ts'),
  ])
  service = await openService({
    openBackground: () => background,
    state,
    port: options.port,
    hosts: options.hosts,
    environment: environmentOf(options),
    log,
  })
  const endAfter = (what: string, lastWords: string) => {
    log(`${what} ended unexpectedly, so the service stops. The last words: ${lastWords}`, 'error')
    return end(1)
  }
  void service.database.failed.then(words => endAfter(`The database of ${state.folder}`, words))
  void service.background.failed.then(words => endAfter(`The workers of ${state.folder}`, words))
  const table = openLocalTable(service.endpoints.dynamodb, service.tableName)
  const { owner: account } = service.secrets
  const first = account.adminToken === undefined
  const createAuthor = () => createOwner(table, account)
  if (importContent) await importContent(service, log, createAuthor)
  const owner = await seed({ table, owner: account, first })
  if (first && !importContent && !options.empty) {
    log('Creating demo content …')
    const { DEMO_FILE, openContent } = await import('./import-content.ts')
    const importDemo = await openContent(DEMO_FILE)
    await importDemo(service, warningsIn(log), createAuthor)
  }
  await service.secrets.saveOwner(owner)
  await announce(service, owner, state)
}

function warningsIn(log: Log): Log {
  return (line, level) => (level === 'warn' ? log(line, level) : undefined)
}

/** Says on the terminal and in `service.json` how to reach the service. */
async function announce(
  { baseUrl, endpoints, outputs, database }: LocalService,
  owner: OwnerWithTokens,
  state: State,
): Promise<void> {
  const { email, password, adminToken, userToken } = owner
  await writeJsonAtomically(state.serviceFile, {
    baseUrl,
    adminToken,
    userToken,
    email,
    password,
    pid: process.pid,
    endpoints,
    outputs,
  })
  log(`Service started at ${baseUrl} (process ${process.pid}).`)
  const warning = database.isOpenToNetwork ? DATABASE_WARNING : ''
  process.stdout.write(`${welcome(baseUrl, owner, state.folder)}${warning}`)
}

const DATABASE_WARNING =
  'Warning: DynamoDB Local listens on all addresses of this machine and requires no key: other users and machines in its network can read and write the data if they find its port.\n'

function welcome(baseUrl: string, { adminToken, email, password }: OwnerWithTokens, folder: string): string {
  return `Ready: ${baseUrl}
Admin token: ${adminToken}

Documentation:  ${baseUrl}${DOCS_PATH}
First request:  curl ${baseUrl}/api/v1/posts
As admin:       curl -H 'Authorization: Bearer ${adminToken}' ${baseUrl}/api/v1/admin/webhooks
Owner's login:  ${email} with the password ${password}
Mails:          files in ${folder}/mail; the log shows the links in them
Data:           ${folder}; start with --reset to delete it first

Press Ctrl-C to stop.
`
}

function environmentOf({ limitScale, strictAddresses }: StartOptions): Record<string, string> {
  return {
    ALLOW_LOOPBACK_WEBHOOKS: String(!strictAddresses),
    ...(limitScale !== undefined && { LIMIT_SCALE: limitScale }),
  }
}

/** What a request or a worker leaves behind ends neither the others nor the service. */
process.on('unhandledRejection', error => {
  log(`A request left an error behind: ${error instanceof Error ? error.stack : error}`, 'error')
})

/** Ignores repeated signals: on Ctrl-C the terminal and npm each send one. */
async function end(status: number): Promise<void> {
  if (ending) return
  ending = true
  setTimeout(endByForce, FORCE_AFTER_MS)
  await service?.stop()
  process.exit(status)
}

/** No answered request is lost. */
function endByForce(): void {
  log('The service did not stop in time and was ended by force.', 'warn')
  process.kill(process.pid, 'SIGKILL')
}

process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) {
    process.stdout.write(USAGE)
  } else {
    await start(options)
  }
} catch (error) {
  report(error instanceof Error ? error.message : String(error))
  if (error instanceof UsageError) report('See all options: npm start -- --help')
  await end(1)
}
