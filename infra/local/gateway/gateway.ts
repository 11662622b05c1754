// Serves the template's REST API on a port of this machine.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { CORS_HEADERS } from '../../../shared/http/cors.ts'
import { SECURITY_HEADERS } from '../../../shared/http/security.ts'
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
    const answer = refusalOf(message, hosts) ?? (await pageFor(request)) ?? (await apiAnswer(request, body))
    if (stopping || !message.complete) response.setHeader('Connection', 'close')
    send(message, response, answer)
  }

  async function apiAnswer(request: GatewayRequest, body: Buffer | undefined): Promise<Answer> {
    const startedMs = performance.now()
    const answer = await restApi.answer(request, body)
    onAnswer?.(answer.statusCode, performance.now() - startedMs)
    return answer
  }

  const pageFor = ({ httpMethod, path }: GatewayRequest) =>
    ['GET', 'HEAD'].includes(httpMethod) ? page?.(path) : undefined

  const ofServer = { keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, requireHostHeader: false }
  const server = createServer(ofServer, (message, response) => {
    // The client has disconnected, or the answer has a header that cannot be written.
    handle(message, response).catch(() => response.destroy())
  })
  server.on('clientError', (error, socket) => refuse(socket, unreadable(error)))
  server.on('connect', (_, socket) => refuse(socket, refusal(400, 'BAD_REQUEST', 'This is no proxy.')))
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

/** The answer to a request that neither a page nor the API gets. */
function refusalOf(message: IncomingMessage, hosts: Hosts): Answer | undefined {
  const [host, ...others] = message.headersDistinct.host ?? []
  if (host === undefined || others.length > 0) {
    return refusal(400, 'BAD_REQUEST', 'A request has one Host header. Send it once.')
  }
  if (!hosts.allows(host)) return refusal(421, 'MISDIRECTED_REQUEST', hosts.refusal)
  const { method, url = '' } = message
  // The parser also lets targets through that only begin with it.
  if (!url.startsWith('*') || (url === '*' && method === 'OPTIONS')) return undefined
  return refusal(400, 'BAD_REQUEST', 'Only OPTIONS has the target *. Send a path that begins with /.')
}

/** The envelope of an answer that API Gateway would not make. */
function refusal(statusCode: number, code: string, message: string): Answer {
  const headers = {
    ...CORS_HEADERS,
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Request-Id': randomUUID(),
  }
  return {
    statusCode,
    headers,
    body: Buffer.from(JSON.stringify({ success: false, message, errors: { code } })),
  }
}

/** The answer to bytes that Node cannot read as a request. */
function unreadable(error: Error): Answer {
  const code = 'code' in error ? error.code : undefined
  if (code === 'HPE_HEADER_OVERFLOW') {
    return refusal(431, 'BAD_REQUEST', 'The target and the headers are larger than 16 kB. Shorten them.')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return refusal(408, 'BAD_REQUEST', 'The request did not arrive in time. Send it again.')
  }
  return refusal(400, 'BAD_REQUEST', `The request is not valid HTTP: ${error.message}.`)
}

const REFUSED_LIMIT_MS = 1_000

/** Writes the answer once, and reads on for a moment: a connection that is reset may lose it. */
function refuse(socket: Duplex, { statusCode, headers, body }: Answer): void {
  if (socket.writableEnded) return
  if (!socket.writable) return void socket.destroy()
  const all = { ...headers, 'Content-Length': body.length, Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on('error', () => socket.destroy())
  socket.resume().end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), REFUSED_LIMIT_MS)
  socket.once('close', () => clearTimeout(timer))
}
