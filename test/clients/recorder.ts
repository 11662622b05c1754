// A proxy that records each request of a client with the status of its answer.
import { request as send } from 'node:http'
import { openServer } from '../support/server.ts'

export type RecordedRequest = { line: string; status: number }

export async function openRecorder(target: string) {
  let recorded: RecordedRequest[] = []
  const { hostname, port, host } = new URL(target)
  const { url, stop } = await openServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const forwarded = send({ hostname, port, method, path, headers: { ...headers, host } }, answer => {
      const { statusCode: status = 500 } = answer
      recorded.push({ line: `${method} ${path}`, status })
      outgoing.writeHead(status, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', error => outgoing.destroy(error))
    incoming.pipe(forwarded)
  })
  return {
    url,
    /** What has been recorded since the last call. */
    take: (): RecordedRequest[] => {
      const taken = recorded
      recorded = []
      return taken
    },
    stop,
  }
}
