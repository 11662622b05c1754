// Sends one POST to a receiver within one deadline. Never retries, and never throws.
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { isAllowedHost } from '../address.ts'
import type { DeliveryOutcome } from '../delivery.ts'
import { codeOf, DeliveryError, explain, type FailureCode, HEADER_OVERFLOW, UPGRADE } from '../failure.ts'
import type { DeliveryResponse } from '../fields.ts'
import { transportHeaders, type WebhookRequest } from '../signed-request.ts'
import { dial, ignoreLateError } from './dial.ts'

// Only the status of an answer matters, so reading stops here.
const MAX_ANSWER_BYTES = 16 * 1024
const LEAST_INTERIM_BYTES = 'HTTP/1.1 100 \r\n\r\n'.length
/** What the log keeps of an answer. */
const MAX_HEADER_BYTES = 2_048
const MAX_START_BYTES = 1_024

/** What came before the exchange ended. `start`: the first bytes of the body. `atMs`: of the status. */
type Received = { status: number | null; headers: DeliveryResponse['headers']; start: Buffer; atMs: number }

/** Succeeds with a 2xx answer that ends, or reaches 16 kB, before the deadline. */
export async function sendOnce(webhookRequest: WebhookRequest): Promise<DeliveryOutcome> {
  const { url, policy, timeoutMs } = webhookRequest
  const startedAt = performance.now()
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), timeoutMs)
  const received: Received = { status: null, headers: {}, start: Buffer.of(), atMs: 0 }
  let error: FailureCode | null = null
  let reason: unknown
  try {
    await exchange(webhookRequest, received, deadline.signal)
  } catch (cause) {
    reason = cause
    error = deadline.signal.aborted ? 'timeout' : failureOf(cause)
    // Closes what is open. After a success it would only create an error with its stack.
    deadline.abort()
  }
  clearTimeout(timer)
  const { status, headers, start } = received
  // What has failed by its status has, whatever follows it.
  const refusal = status === null ? null : failureOfStatus(status)
  error = refusal ?? error
  const endedMs = refusal === null ? performance.now() : received.atMs
  // Admins of the content must not read what an internal host answers.
  const isShown = status !== null && !isAllowedHost(new URL(url), policy)
  return {
    status: error === null ? 'succeeded' : 'failed',
    response_status: status,
    error,
    error_detail: error && explain({ url, error, responseStatus: status, cause: reason }),
    duration_ms: Math.round(endedMs - startedAt),
    response: isShown ? { headers, body_start: textOf(start) } : null,
  }
}

async function exchange(
  webhookRequest: WebhookRequest,
  received: Received,
  signal: AbortSignal,
): Promise<void> {
  const url = parseUrl(webhookRequest.url)
  const socket = await dial(url, webhookRequest.policy, signal)
  try {
    const response = await send(socket, url, webhookRequest, signal)
    const status = response.statusCode ?? null
    Object.assign(received, { status, headers: keptHeaders(response.rawHeaders), atMs: performance.now() })
    // Of a failure, only what the log keeps is read.
    await readAnswer(response, received, failureOfStatus(status) ? MAX_START_BYTES : MAX_ANSWER_BYTES)
  } finally {
    socket.destroy()
  }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new DeliveryError('invalid_request')
  return url
}

/** Uses no agent, hence no pool: the request goes over this socket and is never sent again. */
function send(
  socket: Socket,
  url: URL,
  webhookRequest: WebhookRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const outgoing = prepare(socket, url, webhookRequest, signal)
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('upgrade', () => reject(parserError(UPGRADE))) // was not requested
    let interimBytes = 0
    // The parser limits the headers of each answer, but not the number of interim ones.
    outgoing.on('information', ({ statusMessage, rawHeaders }) => {
      interimBytes += LEAST_INTERIM_BYTES + statusMessage.length + rawHeaders.join('').length
      if (interimBytes > MAX_ANSWER_BYTES) reject(parserError(HEADER_OVERFLOW))
    })
    outgoing.on('response', response => {
      // A broken connection fails its answer, even one without a length; bytes after a whole one do not.
      outgoing.on('error', cause => response.complete || response.destroy(cause))
      response.on('error', ignoreLateError)
      resolve(response)
    })
    outgoing.end(webhookRequest.body)
  })
}

/** An error like those of Node's parser. */
function parserError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function prepare(socket: Socket, url: URL, { headers, body }: WebhookRequest, signal: AbortSignal) {
  try {
    return request({
      createConnection: () => socket,
      method: 'POST',
      path: url.pathname + url.search,
      headers: { ...headers, ...transportHeaders(url, body) },
      maxHeaderSize: MAX_ANSWER_BYTES,
      signal,
    })
  } catch (cause) {
    throw new DeliveryError('invalid_request', cause) // a header that HTTP cannot carry
  }
}

/** Keeps the first bytes of the body, also if the rest does not arrive. */
async function readAnswer(response: IncomingMessage, received: Received, most: number): Promise<void> {
  let bytes = 0
  for await (const chunk of response) {
    const missing = MAX_START_BYTES - received.start.length
    if (missing > 0) received.start = Buffer.concat([received.start, chunk.subarray(0, missing)])
    bytes += chunk.length
    if (bytes >= most) return
  }
}

/** The first headers; those of the same name together. */
function keptHeaders(raw: string[]): Received['headers'] {
  const kept = new Map<string, string>()
  let bytes = 0
  for (let n = 0; n + 1 < raw.length; n += 2) {
    const [name, value] = [String(raw[n]).toLowerCase(), String(raw[n + 1])]
    bytes += Buffer.byteLength(`${name}: ${value}\n`)
    if (bytes > MAX_HEADER_BYTES) break
    const before = kept.get(name)
    kept.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(kept)
}

/** Without a last character that is cut. Bytes that are no UTF-8 become U+FFFD. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}

/** Those that name another URL for the request. */
const REDIRECTS: (number | null)[] = [301, 302, 303, 307, 308]

function failureOfStatus(status: number | null): FailureCode | null {
  if (status !== null && status >= 200 && status < 300) return null
  return REDIRECTS.includes(status) ? 'redirect' : 'status'
}

function failureOf(cause: unknown): FailureCode {
  if (cause instanceof DeliveryError) return cause.code
  const code = codeOf(cause)
  if (code.startsWith('HPE_')) return 'protocol'
  return code.startsWith('ERR_SSL_') || code === 'EPROTO' ? 'tls' : 'connection'
}
