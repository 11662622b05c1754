// Sends one POST to a receiver within one deadline. Never retries, and never throws.
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { isAllowedHost } from '../address.ts'
import type { DeliveryOutcome } from '../delivery.ts'
import { DeliveryError, explain, type FailureCode, HEADER_OVERFLOW, UPGRADE } from '../failure.ts'
import type { DeliveryResponse } from '../fields.ts'
import { transportHeaders, type WebhookRequest } from '../signed-request.ts'
import { dial, ignoreLateError } from './dial.ts'

// Only the status of an answer matters, so reading stops here.
const MAX_ANSWER_BYTES = 16 * 1024
const LEAST_INTERIM_BYTES = 'HTTP/1.1 100 \r\n\r\n'.length
/** What the log keeps of an answer. */
const MAX_HEADER_BYTES = 2_048
const MAX_START_BYTES = 1_024

type Answer = { headers: DeliveryResponse['headers']; start: Buffer }

/** Succeeds with a 2xx answer that ends, or reaches 16 kB, before the deadline. */
export async function sendOnce(webhookRequest: WebhookRequest): Promise<DeliveryOutcome> {
  const startedAt = performance.now()
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), webhookRequest.timeoutMs)
  let responseStatus: number | null = null
  let error: FailureCode | null = null
  let reason: unknown
  let answer: Answer | undefined
  let isInternal = false
  let socket: Socket | undefined
  let durationMs: number | undefined
  const sinceStart = () => Math.round(performance.now() - startedAt)
  try {
    const url = parseUrl(webhookRequest.url)
    const { policy, nameServers } = webhookRequest
    isInternal = isAllowedHost(url, policy)
    socket = await dial(url, { policy, nameServers, signal: deadline.signal })
    const response = await send(socket, url, webhookRequest, deadline.signal)
    responseStatus = response.statusCode ?? null
    answer = { headers: keptHeaders(response.rawHeaders), start: Buffer.of() }
    error = failureOfStatus(responseStatus)
    if (error === null) {
      await readAnswer(response, answer, MAX_ANSWER_BYTES)
    } else {
      // For the log alone: whatever follows, it has failed by its status.
      durationMs = sinceStart()
      await readAnswer(response, answer, MAX_START_BYTES).catch(() => undefined)
    }
  } catch (cause) {
    reason = cause
    error = deadline.signal.aborted ? 'timeout' : failureOf(cause)
  } finally {
    clearTimeout(timer)
    // Closes the socket. An abort would create an error with its stack for each delivery.
    if (socket) {
      socket.destroy()
    } else {
      deadline.abort()
    }
  }
  durationMs ??= sinceStart()
  const { url } = webhookRequest
  const detail = error === null ? null : explain({ url, error, responseStatus, cause: reason })
  // Admins of the content must not read what an internal host answers.
  return {
    ok: error === null,
    responseStatus,
    error,
    detail,
    durationMs,
    answer: answer && !isInternal ? { headers: answer.headers, body_start: textOf(answer.start) } : undefined,
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

/** Keeps the first bytes of the body in `answer`, also if the rest does not arrive. */
async function readAnswer(response: IncomingMessage, answer: Answer, most: number): Promise<void> {
  let bytes = 0
  for await (const chunk of response) {
    const missing = MAX_START_BYTES - answer.start.length
    if (missing > 0) answer.start = Buffer.concat([answer.start, chunk.subarray(0, missing)])
    bytes += chunk.length
    if (bytes >= most) return
  }
}

/** The first headers; those of the same name together. */
function keptHeaders(raw: string[]): Answer['headers'] {
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
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code.startsWith('HPE_')) return 'protocol'
  return code.startsWith('ERR_SSL_') || code === 'EPROTO' ? 'tls' : 'connection'
}
