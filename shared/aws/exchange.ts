// One request and its whole answer, by the HTTP handler of the SDK's client with its time-outs.
import { Readable } from 'node:stream'
import type { Headers } from './signature.ts'

export type HttpRequest = {
  method: string
  protocol: string
  hostname: string
  port: number | undefined
  path: string
  headers: Headers
  body: string
}
export type HttpResponse = { statusCode: number; headers: Record<string, string>; body: unknown }
export type HttpHandler = {
  handle: (request: HttpRequest, options?: object) => Promise<{ response: HttpResponse }>
}

/** An answer with its text, if it arrived whole, or the error of the handler. */
export type Attempt = { response: HttpResponse; text: string | undefined } | { error: unknown }

/** Never rejects. The SDK can read the body of the response once more. */
export async function exchange(
  handler: HttpHandler,
  request: HttpRequest,
  options: object,
): Promise<Attempt> {
  try {
    const { response } = await handler.handle(request, options)
    if (!(response.body instanceof Readable)) return { response, text: undefined }
    const read = await readBytes(response.body)
    response.body = Buffer.isBuffer(read) ? read : breakingWith(read.error)
    return { response, text: Buffer.isBuffer(read) ? read.toString() : undefined }
  } catch (error) {
    return { error }
  }
}

/** By events, since iterating over a stream takes about as long as the rest of the call. */
function readBytes(body: Readable): Promise<Buffer | { error: Error }> {
  const chunks: Buffer[] = []
  return new Promise(resolve => {
    body.on('data', (chunk: Buffer) => chunks.push(chunk))
    body.on('end', () => resolve(Buffer.concat(chunks)))
    body.on('error', error => resolve({ error }))
  })
}

/** A body that breaks off as the one that was read. */
function breakingWith(error: Error): Readable {
  return new Readable({
    read() {
      this.destroy(error)
    },
  })
}
