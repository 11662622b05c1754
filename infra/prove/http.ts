// Sends one request and returns the answer byte by byte, as it came over the wire.
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'

export type HttpAnswer = { status: number; headers: Record<string, string>; body: Buffer }
export type HttpInput = { headers?: Record<string, string>; body?: string | Buffer }

/** Longer than API Gateway waits for a function. */
const TIMEOUT_MS = 35_000
/** A limit of the service ends within a minute. */
const LONGEST_PAUSE_SECONDS = 60

/** Waits once if a limit of the service says so: all checks together send fewer requests than it allows. */
export async function send(method: string, url: string, input: HttpInput = {}): Promise<HttpAnswer> {
  const answer = await sendOnce(method, url, input)
  const seconds = Number(answer.headers['retry-after'])
  if (answer.status !== 429 || !(seconds <= LONGEST_PAUSE_SECONDS)) return answer
  await pause(seconds * 1000)
  return await sendOnce(method, url, input)
}

async function sendOnce(method: string, url: string, { headers = {}, body }: HttpInput): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = (url.startsWith('http:') ? http : https).request(url, {
    method,
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      'User-Agent': 'prove',
      ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    },
  })
  // After the answer, an error only says that the rest of the request was not taken.
  sent.on('response', resolve).on('error', reject)
  sent.end(body)
  const response = await promise
  const named = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(named),
    body: await buffer(response),
  }
}

const Envelope = z.object({
  message: z.optional(z.string()),
  data: z.optional(z.unknown()),
  errors: z.optional(z.object({ code: z.string() })),
})
export type Envelope = z.output<typeof Envelope>

/** The envelope of an answer; undefined for any other body. */
export function envelopeOf({ body }: HttpAnswer): Envelope | undefined {
  try {
    return Envelope.parse(JSON.parse(body.toString('utf8')))
  } catch {
    return undefined
  }
}

/** `404 NOT_FOUND` */
export function codeOf(answer: HttpAnswer): string {
  return `${answer.status} ${envelopeOf(answer)?.errors?.code ?? ''}`.trim()
}
