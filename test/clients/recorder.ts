// A proxy that records each request of a client with the status of its answer.
import { once } from 'node:events'
import { createServer, request as send } from 'node:http'

export type Recorded = { line: string; status: number }

export async function openRecorder(target: string) {
  let recorded: Recorded[] = []
  const { hostname, port, host } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const forwarded = send({ hostname, port, method, path: url, headers: { ...headers, host } }, answer => {
      const { statusCode: status = 500 } = answer
      recorded.push({ line: `${method} ${url}`, status })
      outgoing.writeHead(status, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', error => outgoing.destroy(error))
    incoming.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    /** What has been recorded since the last call. */
    take: (): Recorded[] => {
      const taken = recorded
      recorded = []
      return taken
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
