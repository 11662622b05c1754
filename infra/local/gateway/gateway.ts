// Serves the template's REST API on a port of this machine.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Answer, send } from './answer.ts'
import { type GatewayRequest, readBody, readRequest } from './gateway-request.ts'
import { type Hosts, readHosts } from './hosts.ts'
import { listenOn } from './listening.ts'
import { createRestApi, type RestApiOptions } from './rest-api.ts'

export type Gateway = {
  port: number
  /** Accepts no more requests, waits at most 4 seconds for running ones, and closes. */
  stop(): Promise<void>
}

const KEEP_ALIVE_TIMEOUT_MS = 65_000
const STOP_LIMIT_MS = 4_000

/** Serves at `http://127.0.0.1:<port>`, without a stage in the path. */
export async function startGateway(
  options: RestApiOptions & {
    /** 0 for any free port. */
    port: number
    /** Addresses to listen on and accepted host names; by default this machine only. */
    hosts?: Hosts
    /** Returns the answer to a GET if the path is a page of the local run. */
    page?: (path: string) => Promise<Answer | undefined>
    /** Called for every answer of the API. */
    onAnswer?: (statusCode: number, durationMs: number) => void
  },
): Promise<Gateway> {
  const { port, hosts = readHosts([]), page, onAnswer } = options
  const restApi = createRestApi(options)
  let stopping = false

  async function handle(message: IncomingMessage, response: ServerResponse) {
    const request = readRequest(message, Date.now())
    const body = await readBody(message)
    const answer = hosts.allows(request.host)
      ? ((await pageFor(request)) ?? (await apiAnswer(request, body)))
      : misdirected(hosts)
    if (stopping || !message.complete) response.setHeader('Connection', 'close')
    send(message, response, answer)
  }

  async function apiAnswer(request: GatewayRequest, body: string | undefined): Promise<Answer> {
    const startedMs = performance.now()
    const answer = await restApi.answer(request, body)
    onAnswer?.(answer.statusCode, performance.now() - startedMs)
    return answer
  }

  const pageFor = ({ httpMethod, path }: GatewayRequest) =>
    ['GET', 'HEAD'].includes(httpMethod) ? page?.(path) : undefined

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, (message, response) => {
    // The client has disconnected, or the answer has a header that cannot be written.
    handle(message, response).catch(() => response.destroy())
  })
  const listening = await listenOn(server, hosts.addresses, port)

  return {
    port: listening.port,
    async stop() {
      stopping = true
      const timer = setTimeout(() => server.closeAllConnections(), STOP_LIMIT_MS)
      await listening.close()
      clearTimeout(timer)
    },
  }
}

function misdirected({ refusal }: Hosts): Answer {
  const headers = { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' }
  return { statusCode: 421, headers, body: Buffer.from(JSON.stringify({ success: false, message: refusal })) }
}
