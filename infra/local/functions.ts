// The functions of the service in this process: each with the environment, the runtime and the access that
// shared/service/ declares for it.
import { availableParallelism } from 'node:os'
import * as z from 'zod/mini'
import manifest from '../../package.json' with { type: 'json' }
import { QUEUES } from '../../shared/events/message.ts'
import { openSender, openSqs } from '../../shared/events/sqs.ts'
import { currentMs } from '../../shared/http/time.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { SECRET_VARIABLES } from '../../shared/runtime/parameters.ts'
import { queueUrl, type Runtime, withRuntime } from '../../shared/runtime/runtime.ts'
import type { FunctionDeclaration } from '../../shared/service/permissions.ts'
import { connect, openTable } from '../../shared/table/client.ts'
import { limitConcurrency } from '../../shared/table/concurrency.ts'
import { type AccessRecord, checkQueueCalls, checkTableCalls, guarded } from './access.ts'
import { clientSettings, queueUrlOf, REGION } from './account.ts'
import type { Log } from './log.ts'

/** The addresses and the values that the functions of one run share. */
export type LocalStage = {
  tableName: string
  endpoints: { dynamodb: string; sqs: string; ses: string; secretsManager: string }
  /** Variables of every function: SITE_URL, LIMIT_SCALE and others. */
  environment: Record<string, string>
  /** How many times longer than in Lambda a function may run: tests share the CPU of one machine. */
  timeoutFactor: number
}

export type LocalFunction = (event: unknown) => Promise<unknown>

/** What the functions of a thread share. */
type FunctionContext = { stage: LocalStage; record: AccessRecord; log: Log }

const Module = z.object({ handler: z.custom<Handler>(value => typeof value === 'function') })
type Handler = (event: unknown, context: object) => Promise<unknown>

/** Opens each declared function, by its name. */
export function openFunctions(
  declared: Record<string, FunctionDeclaration>,
  context: FunctionContext,
): Map<string, LocalFunction> {
  const all = Object.entries(declared)
  return new Map(all.map(([name, declaration]) => [name, openFunction(name, declaration, context)]))
}

/** Returns a call of the function's handler, whose file is loaded at the first call. */
function openFunction(name: string, declared: FunctionDeclaration, context: FunctionContext): LocalFunction {
  const runtime = openRuntime(name, declared, context)
  const timeoutMs = declared.timeoutSeconds * context.stage.timeoutFactor * 1000
  const run = async (event: unknown) => {
    const { handler } = Module.parse(await import(`../../functions/${name}.ts`))
    return await withRuntime(runtime, () => {
      const endMs = performance.now() + timeoutMs
      const getRemainingTimeInMillis = () => Math.max(0, endMs - performance.now())
      return handler(event, { getRemainingTimeInMillis })
    })
  }
  const inTurn = limitConcurrency(declared.memoryMb < FULL_CPU_MB ? AT_ONCE : availableParallelism())
  return event => inTurn(() => run(event))
}

/** Enough for every client of one machine. More of them would let each other run into time-outs. */
const AT_ONCE = 20
/** The memory of a function that has a whole CPU: as many of its runs at once as there are CPUs. */
const FULL_CPU_MB = 1769

function openRuntime(
  name: string,
  declared: FunctionDeclaration,
  { stage, record, log }: FunctionContext,
): Runtime {
  const { dynamodb, sqs: queues } = stage.endpoints
  const environment = readEnvironment(environmentOf(declared, stage))
  const documents = connect(clientSettings(dynamodb))
  const sqs = guarded(openSqs(clientSettings(queues)), checkQueueCalls(name, declared, record))
  return {
    environment,
    table: openTable(guarded(documents, checkTableCalls(name, declared, record)), stage.tableName),
    sqs,
    sender: openSender(sqs, queue => queueUrl(environment, queue), Date.now),
    clock: currentMs,
    log: (level, message, details) =>
      log(`${name}: ${JSON.stringify({ level, message, ...details })}`, level),
  }
}

/** The same variables as in the stack: a function has the secrets and the queues that it declares. */
function environmentOf(
  { sends, consumes, secrets, sendsMail }: FunctionDeclaration,
  { tableName, endpoints, environment }: LocalStage,
): Record<string, string> {
  const queues = [...sends, ...(consumes ? [consumes] : [])]
  return {
    ...environment,
    TABLE_NAME: tableName,
    SERVICE_VERSION: manifest.version,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    ...(sendsMail && { MAIL_SENDER: 'content@localhost', AWS_ENDPOINT_URL_SESV2: endpoints.ses }),
    ...Object.fromEntries(secrets.map(secret => [`${SECRET_VARIABLES[secret]}_SECRET`, secret])),
    ...Object.fromEntries(queues.map(queue => [QUEUES[queue].urlVariable, queueUrlOf(endpoints.sqs, queue)])),
  }
}
