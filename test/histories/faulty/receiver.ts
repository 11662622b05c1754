// A webhook receiver that records the ids of deliveries.
import { once } from 'node:events'
import { createServer } from 'node:http'

export async function openReceiver() {
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    request.resume()
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const stop = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}/hook`, received, stop }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>
