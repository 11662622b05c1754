// `npm start`: builds the stack, hangs it up on this machine, and says where it is and how to get in.
import manifest from '../../package.json' with { type: 'json' }
import { buildAssembly } from './build.ts'
import type { Call, Interceptor } from './faults/call.ts'
import { createFaultInjector } from './faults/faults.ts'
import { type Log, openLog } from './log.ts'
import { setPrivateUmask } from './private-files.ts'
import { type LocalService, runStack } from './run-stack.ts'
import { seed } from './seed.ts'
import { databaseNote, faultsNote, hostsNote, welcome } from './start-notes.ts'
import { readOptions, type StartOptions, USAGE, UsageError } from './start-options.ts'
import { openState, writeJsonAtomically } from './state.ts'

/** For people, before there is a log; stdout has the answers only. */
function say(line: string) {
  return process.stderr.write(`${line}\n`)
}

/** Progress, and what functions print. */
let log: Log = say
// A reader that has seen enough (`npm start | head -2`) must not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

setPrivateUmask()

let service: LocalService | undefined
let ending = false
const FORCE_AFTER_MS = 5000

async function start(options: StartOptions): Promise<void> {
  log = openLog({ file: options.logFile, least: options.logLevel })
  const state = await openState(options.stateFolder, { reset: options.reset })
  const assembly = await buildAssembly({ log, state: state.folder })
  service = await runStack({
    assembly,
    state,
    port: options.port,
    hosts: options.hosts,
    parameters: parametersFor(options),
    allowLoopbackWebhooks: !options.strictAddresses,
    interceptors: interceptorsFor(options),
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
  await secrets.saveOwner(owner)
  const { email, password, adminToken, userToken } = owner
  await writeJsonAtomically(state.serviceFile, {
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
    [
      welcome(baseUrl, owner, state.folder),
      hostsNote(options.hosts, baseUrl),
      databaseNote(service.databaseReachableFrom),
      faultsNote(options.faults),
    ].join(''),
  )
}

function parametersFor({ limitScale }: StartOptions): Record<string, string> {
  return {
    MailSender: 'content@localhost',
    ...(limitScale !== undefined && { LimitScale: limitScale }),
  }
}

function interceptorsFor({ faults }: StartOptions): Interceptor[] {
  if (faults === undefined) return []
  const onFault = (kind: string, { accessKeyId, operation }: Call) =>
    log(`fault: ${kind} at ${operation} of ${accessKeyId}`)
  return [createFaultInjector({ seed: faults, onFault })]
}

/** Once: npm passes a Ctrl-C on that the terminal has sent already. */
async function end(status: number): Promise<void> {
  if (ending) return
  ending = true
  setTimeout(endByForce, FORCE_AFTER_MS)
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
  if (options.help) {
    process.stdout.write(USAGE)
  } else if (options.version) {
    process.stdout.write(`${manifest.version}\n`)
  } else {
    await start(options)
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  if (error instanceof UsageError) say('All options: npm start -- --help')
  await end(1)
}
