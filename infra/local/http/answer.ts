// Turns the result of a function into an HTTP answer, and writes it: compressed where the client accepts it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import * as z from 'zod/mini'
import type { ErrorCode } from '../../../shared/http/errors.ts'
import { CORS_HEADERS, SECURITY_HEADERS } from '../../../shared/http/headers.ts'
import { MIN_COMPRESSION_BYTES } from '../../names.ts'

export type Answer = {
  statusCode: number
  headers: Record<string, string | string[]>
  body: Buffer
}

const ProxyResult = z.object({
  statusCode: z.int(),
  headers: z._default(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])), {}),
  body: z.string(),
})

/** Throws on a result that API Gateway does not take. */
export function answerOf(result: unknown): Answer {
  const { statusCode, headers, body } = ProxyResult.parse(result)
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', ...Object.fromEntries(texts) },
    body: Buffer.from(body),
  }
}

/** An error that is answered without a function. Some of its statuses have no code in the contract. */
export function refusal(
  statusCode: number,
  code: ErrorCode | 'BAD_REQUEST' | 'MISDIRECTED_REQUEST',
  message: string,
  requestId: string,
): Answer {
  const headers = {
    ...CORS_HEADERS,
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
  }
  const body = JSON.stringify({ success: false, message, errors: { code } })
  return { statusCode, headers, body: Buffer.from(body) }
}

/** Writes the answer. HEAD, 204 and 304 have no body. */
export function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const isBodiless = answer.statusCode === 204 || answer.statusCode === 304
  const { headers, body } = isBodiless ? answer : compressed(answer, request.headers['accept-encoding'])
  response.statusCode = answer.statusCode
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (isBodiless) return void response.end()
  response.setHeader('Content-Length', body.length)
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** In this thread, and not at the best level: each would double the time of most answers. */
const GZIP_LEVEL = 3

function compressed(answer: Answer, acceptEncoding: string | undefined): Answer {
  const isSmall = answer.body.length < MIN_COMPRESSION_BYTES
  if (isSmall || !acceptsGzip(acceptEncoding)) return answer
  const body = gzipSync(answer.body, { level: GZIP_LEVEL })
  return { ...answer, headers: { ...answer.headers, 'Content-Encoding': 'gzip' }, body }
}

function acceptsGzip(acceptEncoding = ''): boolean {
  const codings = acceptEncoding.toLowerCase().split(',')
  return codings.some(coding => {
    const [name = '', ...parameters] = coding.split(';').map(part => part.trim())
    return (name === 'gzip' || name === '*') && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))
  })
}
