// A subscriber that records its deliveries and verifies each signature in three ways.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import * as z from 'zod/mini'
import type { Client } from './client.ts'

const Event = z.object({ event: z.string(), data: z.object({ slug: z.string() }) })
const Subscription = z.object({ id: z.int(), secret: z.string() })
const Counts = z.object({ total_deliveries: z.int(), failed_deliveries: z.int() })

export async function openListener({ need }: Client) {
  const received: { event: string; slug: string; atMs: number }[] = []
  const problems: string[] = []
  let secret = ''
  const verify = (body: string, headers: Record<string, string>) => {
    const hex = createHmac('sha256', secret).update(body).digest('hex')
    if (headers.signature !== hex) problems.push(`${headers['webhook-id']}: Signature does not verify`)
    for (const library of [new StandardWebhook(secret), new SvixWebhook(secret)]) {
      try {
        library.verify(body, headers)
      } catch (error) {
        problems.push(`${headers['webhook-id']}: ${String(error)}`)
      }
    }
  }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const atMs = performance.now()
    response.writeHead(204).end()
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    verify(body, headers)
    const { event, data } = Event.parse(JSON.parse(body))
    received.push({ event, slug: data.slug, atMs })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const body = { name: 'listener', url: `http://127.0.0.1:${port}/`, events: ['*'] }
  const subscription = await need(Subscription, 'POST', 'admin/webhooks', { body })
  secret = subscription.secret
  return {
    received,
    problems,
    counts: () => need(Counts, 'GET', `admin/webhooks/${subscription.id}`),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
