// Sends requests that no contract allows: unknown paths, other methods, invalid bodies.
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { checkAnswer } from './check-answer.ts'

export type RawAnswer = { status: number; headers: Record<string, string>; text: string; json: unknown }

export function rawRequest(
  baseUrl: string,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const options = { method, headers: { ...length, ...headers }, agent: false }
    const sending = request(`${baseUrl}${path}`, options, response => {
      answerOf(response)
        .then(answer => {
          const { status, json } = answer
          checkAnswer({
            method,
            path,
            status,
            header: name => answer.headers[name.toLowerCase()],
            body: json,
          })
          resolve(answer)
        })
        .catch(reject)
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

async function answerOf(response: IncomingMessage): Promise<RawAnswer> {
  const received = await text(response)
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  )
  // A compressed body stays compressed.
  const isJson = headers['content-type']?.startsWith('application/json') && !headers['content-encoding']
  const json: unknown = isJson && received ? JSON.parse(received) : undefined
  return { status: response.statusCode ?? 0, headers, text: received, json }
}
