// `npm start`: builds the stack, hangs it up on this machine, and says where it is and how to get in.
import { isIPv6 } from 'node:net'
import manifest from '../../package.json' with { type: 'json' }
import { buildAssembly } from './build.ts'
import { hangUp, type LocalService } from './hang-up.ts'
import type { Call, Judge } from './interpose/call.ts'
import { openFaults } from './interpose/faults.ts'
import { type Log, openLog } from './log.ts'
import { DOCS_PATH } from './pages/docs/docs.ts'
import { keepToOneself } from './private-files.ts'
import { type Seeded, seed } from './seed.ts'
import { readOptions, type StartOptions, UsageError, usage } from './start-options.ts'
import { openState, writeWhole } from './state.ts'

/** For people, before there is a log; stdout has the answers only. */
const say = (line: string) => process.stderr.write(`${line}\n`)
/** Progress, and what functions print. */
let log: Log = say
// A reader that has seen enough (`npm start | head -2`) must not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

keepToOneself()

let service: LocalService | undefined
let ending = false
const forceAfterMs = 5000

async function start(options: StartOptions): Promise<void> {
  log = openLog({ file: options.logFile, least: options.logLevel })
  const state = await openState(options.stateFolder, { reset: options.reset })
  const assembly = await buildAssembly({ log, state: state.folder })
  service = await hangUp({
    assembly,
    state,
    port: options.port,
    hosts: options.hosts,
    parameters: parametersFor(options),
    allowLoopbackWebhooks: !options.strictAddresses,
    judges: judgesFor(options),
    log,
  })
  void service.databaseFailed.then(words => {
    log(`The database has ended, so the service ends too. Its last words: ${words}`, 'error')
    return end(1)
  })

  const { baseUrl, secrets, dynamodbEndpoint, sqsEndpoint, tableName, outputs } = service
  const owner = await seed({
    table: { endpoint: dynamodbEndpoint, tableName },
    baseUrl,
    owner: secrets.owner,
    demo: !options.empty,
    first: secrets.owner.adminToken === undefined,
    log,
  })
  await secrets.keepOwner(owner)
  const { email, password, adminToken, userToken } = owner
  await writeWhole(state.serviceFile, {
    baseUrl,
    adminToken,
    userToken,
    email,
    password,
    pid: process.pid,
    dynamodbEndpoint,
    sqsEndpoint,
    outputs,
  })
  log(`The service has started at ${baseUrl}, as process ${process.pid}.`)
  process.stdout.write(
    welcome(baseUrl, owner, state.folder) + hostsNote(options, baseUrl) + faultsNote(options),
  )
}

function parametersFor({ limitScale }: StartOptions): Record<string, string> {
  return {
    MailSender: 'content@localhost',
    ...(limitScale !== undefined && { LimitScale: limitScale }),
  }
}

function judgesFor({ faults }: StartOptions): Judge[] {
  if (faults === undefined) return []
  const onFault = (kind: string, { accessKeyId, operation }: Call) =>
    log(`fault: ${kind} at ${operation} of ${accessKeyId}`)
  return [openFaults({ seed: faults, onFault })]
}

function faultsNote({ faults }: StartOptions): string {
  return faults === undefined ? '' : `Faults are on, by the seed ${faults}: each stands in the log.\n`
}

function hostsNote({ hosts }: StartOptions, baseUrl: string): string {
  if (hosts.length === 0) return ''
  const urls = hosts.map(host => baseUrl.replace('127.0.0.1', isIPv6(host) ? `[${host}]` : host))
  return `Others reach it, too, at ${urls.join(', ')}: only in networks that you trust.\n`
}

function welcome(baseUrl: string, { adminToken, email, password }: Seeded, folder: string): string {
  return `Ready: ${baseUrl}
Admin token: ${adminToken}

Read it:   ${baseUrl}${DOCS_PATH}
Try it:    curl ${baseUrl}/api/v1/posts
As admin:  curl -H 'Authorization: Bearer ${adminToken}' ${baseUrl}/api/v1/admin/webhooks
Log in:    ${email} with the password ${password}
Mails:     as files in ${folder}/mail, and their links in this log
Data is kept in ${folder} (to start over: npm start -- --reset). Ctrl-C stops.
`
}

/** Once: npm passes a Ctrl-C on that the terminal has sent already. */
async function end(status: number): Promise<void> {
  if (ending) return
  ending = true
  setTimeout(endByForce, forceAfterMs)
  await service?.stop()
  process.exit(status)
}

/** A function that hangs in native code cannot be ended, and Node waits for it for ever; nothing answered is lost. */
function endByForce(): void {
  log('Something does not end, so the service is ended by force.', 'warn')
  process.kill(process.pid, 'SIGKILL')
}

process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) process.stdout.write(usage)
  else if (options.version) process.stdout.write(`${manifest.version}\n`)
  else await start(options)
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  if (error instanceof UsageError) say('All options: npm start -- --help')
  await end(1)
}
