// A request as it is, for what no contract allows: unknown paths, odd methods, broken bodies.
import { request } from 'node:http'
import { text } from 'node:stream/consumers'

export type RawAnswer = { status: number; headers: Record<string, string>; text: string; json: unknown }

export const rawRequest = (
  baseUrl: string,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const options = { method, headers: { ...length, ...headers }, agent: false }
    const sending = request(`${baseUrl}${path}`, options, async response => {
      const received = await text(response)
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        ),
        text: received,
        json: isJson(response.headers['content-type']) && received ? JSON.parse(received) : undefined,
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })

const isJson = (type: string | undefined): boolean => type?.startsWith('application/json') ?? false
