// A receiver that records what reaches it, and answers as the path of the request says.
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { httpSubscriber } from './servers.ts'

export type RecordedDelivery = { url: string; path: string; headers: IncomingHttpHeaders; body: string }

export const FINE = { 'Content-Type': 'text/plain', 'X-Answer': 'fine' }

/** It does not compress. */
const LONG = randomBytes(4_000).toString('base64')

/** `/500` answers with this status, `/long` at length, and `/hang` never. */
export async function openRecorder() {
  const recorded: RecordedDelivery[] = []
  const answers = { status: 200 }
  const { port } = await httpSubscriber(async (request, response) => {
    const { url = '' } = request
    const [, path = ''] = url.split('/')
    recorded.push({ url, path, headers: request.headers, body: await text(request) })
    if (path === 'hang') return undefined
    return response
      .writeHead(Number(path) || answers.status, FINE)
      .end(path === 'long' ? LONG : `answer of ${path}`)
  })
  return {
    recorded,
    answers,
    url: (path: string) => `http://127.0.0.1:${port}/${path}`,
  }
}
