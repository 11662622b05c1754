// An HTTP proxy in front of an emulator: an interceptor watches, changes or answers its calls.
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as send,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { clientSettings } from '../../../infra/local/account.ts'
import { listenHidden } from '../../../infra/local/addresses.ts'
import { connect } from '../../../shared/table/client.ts'
import { interceptable } from '../interceptable.ts'

export type Call = {
  /** Such as `GetItem`. */
  operation: string
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
}
export type Answer = { status: number; headers: Record<string, string>; body: Buffer }

/** Sends the call to the emulator. Rejects with ConnectionClosed. */
export type Next = (call: Call) => Promise<Answer>
/** Ends the calling function immediately, as a failing machine would. */
export type Crash = () => void

/**
 * Answers a call: with `next` (also with another body, or several times), with an answer of its own, or by
 * throwing ConnectionClosed.
 */
export type Interceptor = (call: Call, next: Next, crash: Crash) => Promise<Answer>

/** The connection closes without an answer. */
export class ConnectionClosed extends Error {}

/** An error in the JSON protocol of AWS. */
export function failure(status: number, type: string, members: Record<string, unknown> = {}): Answer {
  return json(status, { __type: `com.amazonaws.local#${type}`, message: `${type} of a test`, ...members })
}

export function json(status: number, content: unknown): Answer {
  const headers = { 'content-type': 'application/x-amz-json-1.0' }
  return { status, headers, body: Buffer.from(JSON.stringify(content)) }
}

/** Adds about 0.3 ms to a call. */
export async function startCallProxy(upstream: string, intercept: Interceptor, crash: Crash = () => {}) {
  const agent = new Agent({ keepAlive: true })
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    try {
      const call = callOf(request, await buffer(request))
      const { status, headers, body } = await intercept(call, next => forward(agent, upstream, next), crash)
      response.writeHead(status, { ...headers, 'content-length': body.length }).end(body)
    } catch {
      // ConnectionClosed, or the emulator has ended: to the caller both look like a broken network.
      request.socket.destroy()
    }
  })
  const { endpoint, stop } = await listenHidden(server)
  return {
    endpoint,
    stop: async () => {
      await stop()
      agent.destroy()
    },
  }
}

/** A client of the table behind an interceptor. */
export async function openIntercepted(endpoint: string, intercept: Interceptor, crash?: Crash) {
  const proxy = await startCallProxy(endpoint, intercept, crash)
  const client = interceptable(connect(clientSettings(proxy.endpoint)))
  return {
    client,
    stop: async () => {
      client.destroy()
      await proxy.stop()
    },
  }
}

function callOf(request: IncomingMessage, body: Buffer): Call {
  const { method = 'POST', url: path = '/' } = request
  const headers = textsOf(request.headers)
  return { operation: headers['x-amz-target']?.split('.').at(-1) ?? '', method, path, headers, body }
}

/** Headers that belong to one connection and are not forwarded. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

function textsOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) ? [] : [[name, String(value)]],
    ),
  )
}

function forward(agent: Agent, upstream: string, { method, path, headers, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const own = { host: new URL(upstream).host, 'content-length': String(body.length) }
    const options = { method, agent, headers: { ...headers, ...own } }
    const sending = send(`${upstream}${path}`, options, response => {
      const { statusCode: status = 502 } = response
      buffer(response).then(
        received => resolve({ status, headers: textsOf(response.headers), body: received }),
        reject,
      )
    })
    sending.on('error', () => reject(new ConnectionClosed()))
    sending.end(body)
  })
}
