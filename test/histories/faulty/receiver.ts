// A webhook receiver that records the ids of deliveries.
import { openServer } from '../../support/server.ts'

export async function openReceiver() {
  const received: string[] = []
  const { url, stop } = await openServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    request.resume()
    response.writeHead(204).end()
  })
  return { url, received, stop }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>
