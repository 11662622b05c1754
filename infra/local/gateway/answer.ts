// Compresses an HTTP answer if the API is configured so, and writes it to the client.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export type Answer = {
  statusCode: number
  headers: Record<string, string | string[]>
  body: Buffer
}

const compress = promisify(gzip)

/** @param minimumCompressionBytes bodies of at least this size are gzipped for clients that accept gzip. */
export async function compressed(
  answer: Answer,
  acceptEncoding: string | undefined,
  minimumCompressionBytes: number | undefined,
): Promise<Answer> {
  const small = minimumCompressionBytes === undefined || answer.body.length < minimumCompressionBytes
  if (small || !acceptsGzip(acceptEncoding) || hasHeader(answer, 'content-encoding')) return answer
  const body = await compress(answer.body)
  return { ...answer, headers: { ...answer.headers, 'Content-Encoding': 'gzip' }, body }
}

export function hasHeader(answer: Answer, lowerCaseName: string): boolean {
  return Object.keys(answer.headers).some(name => name.toLowerCase() === lowerCaseName)
}

function acceptsGzip(acceptEncoding = ''): boolean {
  const codings = acceptEncoding.toLowerCase().split(',')
  return codings.some(coding => {
    const [name = '', ...parameters] = coding.split(';').map(part => part.trim())
    return (name === 'gzip' || name === '*') && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** Writes the answer. HEAD, 204 and 304 have no body. */
export function send(request: IncomingMessage, response: ServerResponse, answer: Answer) {
  const bodiless = answer.statusCode === 204 || answer.statusCode === 304
  response.statusCode = answer.statusCode
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
  if (bodiless) return response.end()
  response.setHeader('Content-Length', answer.body.length)
  return request.method === 'HEAD' ? response.end() : response.end(answer.body)
}
