// `npm start`: builds the stack, runs it on this machine, and prints its address and credentials.
import manifest from '../../package.json' with { type: 'json' }
import { buildAssembly } from './build.ts'
import { collectGarbage } from './collect-garbage.ts'
import type { Call, Interceptor } from './faults/call.ts'
import { createFaultInjector } from './faults/faults.ts'
import { createLatency } from './faults/latency.ts'
import { openFill } from './fill.ts'
import { type LiveLine, startLiveLine } from './live-line.ts'
import { type Log, openLog } from './log.ts'
import { setPrivateUmask } from './private-files.ts'
import { type LocalService, runStack } from './run-stack.ts'
import { databaseNote, faultsNote, hostsNote, latencyNote, welcome } from './start-notes.ts'
import { readOptions, type StartOptions, USAGE, UsageError } from './start-options.ts'
import { openState, writeJsonAtomically } from './state.ts'
import { fullDisk, isFullDisk } from './unusable-folder.ts'

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
let liveLine: LiveLine | undefined
let ending = false
const FORCE_AFTER_MS = 5000
const FULL_DISK_EVERY_MS = 10 * 60_000

let silentUntilMs = 0
/** Functions know only that a write failed, and with --log the terminal would show nothing. */
function reportFullDisk(folder: string): void {
  if (performance.now() < silentUntilMs) return
  silentUntilMs = performance.now() + FULL_DISK_EVERY_MS
  report(fullDisk(folder))
}

async function start(options: StartOptions): Promise<void> {
  const writeLog = openLog({ file: options.logFile, level: options.logLevel })
  const write: Log = (line, level) => {
    writeLog(line, level)
    const isFailure = level === 'error' || level === 'warn'
    if (isFailure && isFullDisk(options.stateFolder, line)) reportFullDisk(options.stateFolder)
  }
  log = (...entry) => (liveLine ? liveLine.whileHidden(() => write(...entry)) : write(...entry))
  const fill = await openFill(options.importFile, log)
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
  void service.databaseFailed.then(lastOutput => {
    const line = `The database of ${state.folder} ended unexpectedly, so the service stops. Start it again.`
    log(`${line} Its last output: ${lastOutput}`, 'error')
    if (options.logFile !== undefined) report(line)
    return end(1)
  })

  const { baseUrl, secrets, dynamodbEndpoint, sqsEndpoint, secretsManagerEndpoint, tableName, outputs } =
    service
  const owner = await fill({
    dynamodbEndpoint,
    sqsEndpoint,
    secretsManagerEndpoint,
    tableName,
    outputs,
    baseUrl,
    owner: secrets.owner,
    demo: !options.empty && options.importFile === undefined,
    first: secrets.owner.adminToken === undefined,
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
    secretsManagerEndpoint,
    outputs,
  })
  log(`Service started at ${baseUrl} (process ${process.pid}).`)
  process.stdout.write(
    [
      welcome(baseUrl, owner, state.folder),
      hostsNote(options.hosts, baseUrl),
      databaseNote(service.databaseReachableFrom),
      faultsNote(options.faults),
      latencyNote(options.latency),
    ].join(''),
  )
  liveLine = startLiveLine(process.stdout, service.metrics.totals)
  collectGarbage()
}

function parametersFor({ limitScale }: StartOptions): Record<string, string> {
  return {
    MailSender: 'content@localhost',
    ...(limitScale !== undefined && { LimitScale: limitScale }),
  }
}

/** Latency comes first, so that a fault takes as long as an answer. */
function interceptorsFor({ faults, latency }: StartOptions): Interceptor[] {
  const onFault = (kind: string, { accessKeyId, operation }: Call) =>
    log(`Fault "${kind}" injected into ${operation} of ${accessKeyId}.`)
  return [
    ...(latency === undefined ? [] : [createLatency()]),
    ...(faults === undefined ? [] : [createFaultInjector({ seed: faults, onFault })]),
  ]
}

/** Ignores repeated signals: on Ctrl-C the terminal and npm each send one. */
async function end(status: number): Promise<void> {
  if (ending) return
  ending = true
  liveLine?.stop()
  liveLine = undefined
  setTimeout(endByForce, FORCE_AFTER_MS)
  await service?.stop()
  process.exit(status)
}

/** Node would wait forever for a function that hangs in native code. No answered request is lost. */
function endByForce(): void {
  log('The service did not stop in time and was ended by force.', 'warn')
  process.kill(process.pid, 'SIGKILL')
}

process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))

let stateFolder = ''
try {
  const options = readOptions(process.argv.slice(2))
  stateFolder = options.stateFolder
  if (options.help) {
    process.stdout.write(USAGE)
  } else if (options.version) {
    process.stdout.write(`${manifest.version}\n`)
  } else {
    await start(options)
  }
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  if (isFullDisk(stateFolder, message)) {
    reportFullDisk(stateFolder)
  } else {
    report(message)
  }
  if (error instanceof UsageError) report('See all options: npm start -- --help')
  await end(1)
}
