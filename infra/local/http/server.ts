// Serves the API and the pages of the local run over HTTP, in the place of API Gateway.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { CORS_HEADERS, PREFLIGHT_HEADERS, SECURITY_HEADERS } from '../../../shared/http/headers.ts'
import type { Log } from '../log.ts'
import { pageAnswer } from '../pages/pages.ts'
import { type Answer, refusal, send } from './answer.ts'
import { proxyEvent, readBody, targetOf } from './event.ts'
import { type Hosts, listenOn } from './hosts.ts'
import { routeOf } from './routes.ts'

export type ServerOptions = {
  /** 0 for any free port. */
  port: number
  hosts: Hosts
  /** Calls a function with its event. */
  invoke: (name: string, event: ReturnType<typeof proxyEvent>) => Promise<Answer>
  log: Log
}

const KEEP_ALIVE_TIMEOUT_MS = 65_000
const STOP_LIMIT_MS = 4_000

/** Serves at `http://127.0.0.1:<port>`, without a stage in the path. */
export async function startServer(options: ServerOptions) {
  const { port, hosts } = options
  let stopping = false
  const handle = async (message: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(message)
    const answer =
      refusalOf(message, hosts) ?? (await pageOf(message)) ?? (await apiAnswer(message, body, options))
    if (stopping || !message.complete) response.setHeader('Connection', 'close')
    send(message, response, answer)
  }
  const settings = { keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, requireHostHeader: false }
  const server = createServer(settings, (message, response) => {
    // The client has disconnected, or the answer has a header that cannot be written.
    handle(message, response).catch(() => response.destroy())
  })
  server.on('clientError', (error, socket) => refuse(socket, unreadable(error)))
  // Without this, Node answers 417 by itself, without headers and envelope.
  server.on('checkExpectation', (message, response) => server.emit('request', message, response))
  server.on('connect', (_, socket) => refuse(socket, badRequest('This is no proxy.')))
  const listening = await listenOn(server, hosts.addresses, port)
  return {
    port: listening.port,
    /** Accepts no more requests, waits at most 4 seconds for running ones, and closes. */
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
    return badRequest('A request has one Host header. Send it once.')
  }
  if (!hosts.allows(host)) return refusal(421, 'MISDIRECTED_REQUEST', hosts.refusal, randomUUID())
  const { method, url = '' } = message
  // The parser also lets targets through that only begin with it.
  if (!url.startsWith('*') || (url === '*' && method === 'OPTIONS')) return undefined
  return badRequest('Only OPTIONS has the target *. Send a path that begins with /.')
}

async function pageOf(message: IncomingMessage): Promise<Answer | undefined> {
  if (!['GET', 'HEAD'].includes(message.method ?? '')) return undefined
  return await pageAnswer(targetOf(message).path)
}

/** Never rejects: whatever a function throws is logged, and the service goes on. */
async function apiAnswer(
  message: IncomingMessage,
  body: Buffer | undefined,
  { invoke, log }: ServerOptions,
): Promise<Answer> {
  const { path } = targetOf(message)
  if (message.method === 'OPTIONS') {
    const headers = {
      ...CORS_HEADERS,
      ...SECURITY_HEADERS,
      ...PREFLIGHT_HEADERS,
      'X-Request-Id': randomUUID(),
    }
    return { statusCode: 204, headers, body: Buffer.alloc(0) }
  }
  if (body === undefined) {
    return refusal(413, 'PAYLOAD_TOO_LARGE', 'The request body is too large.', randomUUID())
  }
  const route = routeOf(message.method ?? 'GET', path)
  const event = proxyEvent(message, route, body)
  try {
    return await invoke(route.name, event)
  } catch (error) {
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log(`${message.method} ${path}: ${cause}`, 'error')
    const { requestId } = event.requestContext
    return refusal(500, 'INTERNAL_ERROR', 'Something went wrong on our side.', requestId)
  }
}

function badRequest(message: string, statusCode = 400): Answer {
  return refusal(statusCode, 'BAD_REQUEST', message, randomUUID())
}

/** The answer to bytes that Node cannot read as a request. */
function unreadable(error: Error): Answer {
  const code = 'code' in error ? error.code : undefined
  if (code === 'HPE_HEADER_OVERFLOW') {
    return badRequest('The target and the headers are larger than 16 kB. Shorten them.', 431)
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return badRequest('The request did not arrive in time. Send it again.', 408)
  }
  return badRequest(`The request is not valid HTTP: ${error.message}.`)
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
