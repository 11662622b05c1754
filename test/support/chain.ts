// Runs the request chain in this process on its own table. Tests set its clock and make its table fail.
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { clientSettings } from '../../infra/local/account.ts'
import type { Message } from '../../shared/events/message.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import type { Ability } from '../../shared/http/audience.ts'
import type { Endpoint, Group } from '../../shared/http/endpoint.ts'
import { type Handlers, handlersOf } from '../../shared/lambda/handler.ts'
import { serve } from '../../shared/lambda/serve.ts'
import type { Tally } from '../../shared/metrics/tally.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { type Runtime, setRuntime, withRuntime } from '../../shared/runtime/runtime.ts'
import { type ListSizes, openTable } from '../../shared/table/client.ts'
import { createUserWith } from './create.ts'
import { type Interceptor, openIntercepted } from './faults/call-proxy.ts'
import { injectFaults } from './faults.ts'
import { newTable } from './new-table.ts'
import { type EventOptions, lambdaContext, proxyEventOf } from './proxy-event.ts'
import { wantEveryEvent } from './work.ts'

export type LogLine = Record<string, unknown> & { level: string; message: string }
export type Result = {
  status: number
  headers: Record<string, string>
  text: string
  code: string | undefined
}

/**
 * The functions of this process call its table, through the interceptor; `plain` is the table without that.
 * Every event counts as wanted by a subscription.
 */
export async function openChain(
  environment: Record<string, string> = {},
  interceptor?: Interceptor,
  listSizes?: ListSizes,
) {
  const { table: plain, client: own, endpoint, tableName, measure, dump, stop: stopTable } = await newTable()
  const intercepted = interceptor && (await openIntercepted(endpoint, interceptor))
  const client = intercepted?.client ?? own
  const table = intercepted ? openTable(client, tableName, listSizes) : plain
  const { fail, pauseRequest, repair } = injectFaults(client)
  await wantEveryEvent(plain)
  const stop = async () => {
    await intercepted?.stop()
    await stopTable()
  }
  const clock = { nowMs: Date.parse('2026-01-01T12:00:00.250Z') }
  const logged: LogLine[] = []
  const tallies: Tally[] = []
  const sent: Message[] = []
  const runtime: Runtime = {
    environment: readEnvironment({
      TABLE_NAME: 'test',
      SITE_URL: 'https://site.example',
      CLIENT_KEY: 'the key of client addresses',
      PRIVATE_KEY: 'the key of links in mails',
      ...environment,
    }),
    table,
    // Messages go nowhere: queues have their own tests.
    sqs: openSqs(clientSettings('http://127.0.0.1:9')),
    sender: {
      send: async messages => {
        sent.push(...messages)
        return messages.map(() => ({ ok: true }))
      },
    },
    clock: () => clock.nowMs,
    log: (level, message, details, tally) => {
      logged.push({ level, message, ...details })
      if (tally) tallies.push(tally)
    },
  }
  setRuntime(runtime)

  /** Creates a function with these handlers, and returns a call of it by an endpoint of its group. */
  const open = <G extends Group>(group: G, handlers: Handlers<G>) => {
    const handler = serve(handlersOf(group, handlers))
    return callOf((event, context) => withRuntime(runtime, () => handler(event, context)))
  }

  const user = (abilities: Ability[]) =>
    createUserWith(table, abilities, { atSeconds: Math.floor(clock.nowMs / 1000) })

  return {
    table,
    plain,
    runtime,
    clock,
    logged,
    tallies,
    sent,
    open,
    user,
    measure,
    dump,
    fail,
    pauseRequest,
    repair,
    stop,
  }
}

export type Chain = Awaited<ReturnType<typeof openChain>>

type Lambda = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** Returns a call of a function by one of its endpoints. */
export function callOf(handler: Lambda) {
  return async (endpoint: Endpoint, ask: EventOptions = {}, remainingMs?: number): Promise<Result> =>
    resultOf(await handler(proxyEventOf(endpoint, ask), lambdaContext(remainingMs)))
}

function resultOf({ statusCode, headers = {}, body }: APIGatewayProxyResult): Result {
  const json: { errors?: { code: string } } = body === '' ? {} : JSON.parse(body)
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    text: body,
    code: json.errors?.code,
  }
}
