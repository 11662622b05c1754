// The whole service in this process: the functions' own handlers behind HTTP, and the workers behind them.
import { QUEUE_NAMES } from '../../shared/events/message.ts'
import { SECRET_NAMES } from '../../shared/runtime/parameters.ts'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import { BASE_URL_OUTPUT, queueOutputs, secretOutput, TABLE_OUTPUT } from '../names.ts'
import { type AccessRecord, openAccessRecord } from './access.ts'
import { queueUrlOf } from './account.ts'
import type { Background, Folders } from './background.ts'
import { type Dynamodb, startDynamodb } from './dynamodb/database.ts'
import { createLocalTable, LOCAL_TABLE } from './dynamodb/table.ts'
import { type LocalFunction, type LocalStage, openFunctions } from './functions.ts'
import { answerOf } from './http/answer.ts'
import { readHosts } from './http/hosts.ts'
import { startServer } from './http/server.ts'
import type { Log } from './log.ts'
import { openSecrets, type Secrets, startSecretsManager } from './secrets.ts'
import type { State } from './state.ts'

export type ServiceOptions = {
  /** Opens its workers, in this thread or in another one. The service stops them. */
  openBackground: (folders: Folders | undefined) => Promise<Background>
  /** Undefined: all data in memory. It is released when the service stops or fails to start. */
  state?: State
  /** Undefined or 0: any free port. Rejects if the port is taken. */
  port?: number
  /** Further addresses and names by which clients may call the service; none: this machine only. */
  hosts?: string[]
  /** Variables of the functions: ALLOW_LOOPBACK_WEBHOOKS, and those that the stack's parameters set. */
  environment?: Record<string, string>
  /** False: schedules run only when a test runs them. */
  hasClock?: boolean
  timeoutFactor?: number
  log?: Log
}

export type LocalService = {
  baseUrl: string
  endpoints: LocalStage['endpoints']
  tableName: string
  /** The outputs that a deployed stack has. */
  outputs: Record<string, string>
  secrets: Secrets
  access: AccessRecord
  database: Pick<Dynamodb, 'failed' | 'isOpenToNetwork'>
  background: Pick<Background, 'failed'>
  /** Finishes running work within a time limit and stops everything. */
  stop(): Promise<void>
}

/** Resolves when the service answers. If a part fails to start, the parts before it are stopped. */
export async function openService(options: ServiceOptions): Promise<LocalService> {
  const { openBackground, state, port = 0, hosts = [], environment = {}, log = () => {} } = options
  await using started = new AsyncDisposableStack()
  if (state) started.defer(() => state.release())
  const starting = [startDynamodb(state?.databaseFile), openBackground(state)] as const
  started.defer(async () => {
    const [database, background] = await Promise.allSettled(starting)
    if (background.status === 'fulfilled') await background.value.stop()
    if (database.status === 'fulfilled') await database.value.stop()
  })
  const [database, background] = await Promise.all(starting)
  await createLocalTable(database.endpoint)
  const secrets = await openSecrets(state?.secretsFile)
  const secretsManager = await startSecretsManager(secrets)
  started.defer(() => secretsManager.stop())
  const endpoints = {
    dynamodb: database.endpoint,
    sqs: background.endpoints.sqs,
    ses: background.endpoints.ses,
    secretsManager: secretsManager.endpoint,
  }

  const record = openAccessRecord()
  // The functions know the address of the server, so it starts before them, and its first requests wait.
  const functions = Promise.withResolvers<Map<string, LocalFunction>>()
  const server = await startServer({
    port,
    hosts: readHosts(hosts),
    invoke: async (name, event) => {
      const invoke = (await functions.promise).get(name)
      if (!invoke) throw new Error(`There is no function ${name}.`)
      return answerOf(await invoke(event))
    },
    log,
  })
  started.defer(() => server.stop())
  const baseUrl = `http://127.0.0.1:${server.port}`
  const stage: LocalStage = {
    tableName: LOCAL_TABLE,
    endpoints,
    environment: { SITE_URL: baseUrl, ...environment },
    timeoutFactor: options.timeoutFactor ?? 1,
  }
  functions.resolve(openFunctions(API_FUNCTIONS, { stage, record, log }))
  background.start(stage, options.hasClock ?? true)

  const everything = started.move()
  return {
    baseUrl,
    endpoints,
    tableName: LOCAL_TABLE,
    outputs: outputsOf(endpoints, baseUrl),
    secrets,
    access: record,
    database,
    background,
    stop: () => everything.disposeAsync(),
  }
}

/** What the operator's commands read from a deployed stack. */
export function outputsOf({ sqs }: { sqs: string }, baseUrl: string): Record<string, string> {
  const queues = QUEUE_NAMES.flatMap(name => {
    const { queue, deadLetters } = queueOutputs(name)
    return [
      [queue, queueUrlOf(sqs, name)],
      [deadLetters, queueUrlOf(sqs, name, 'DeadLetters')],
    ]
  })
  return {
    [BASE_URL_OUTPUT]: baseUrl,
    [TABLE_OUTPUT]: LOCAL_TABLE,
    ...Object.fromEntries(queues),
    ...Object.fromEntries(SECRET_NAMES.map(name => [secretOutput(name), name])),
  }
}
