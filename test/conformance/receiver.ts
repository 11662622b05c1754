// Receives webhooks for the checks: each hook has a path of its own, and answers as its check wants.

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { at, fallShort, type Source } from './answer.ts'
import { jsonOf } from './values.ts'

export type Delivery = Source & {
  method: string
  headers: IncomingHttpHeaders
  /** The received bytes. */
  raw: Buffer
}

export type Hook = { url: string; received: Delivery[]; named: (event: string) => Delivery[] }

/** `hangs`: the request is never answered. */
export type Behaviour = { status?: number; hangs?: boolean }

type Options = {
  /** Where the service reaches the receiver, if it runs on another machine. */
  url?: string
  port?: number
  patienceMs: number
  signal: AbortSignal
}

const POLL_MS = 20

export async function openReceiver({ url, port = 0, patienceMs, signal }: Options) {
  const hooks = new Map<string, { behaviour: Behaviour; received: Delivery[] }>()
  const server = createServer(async (request, response) => {
    const raw = await buffer(request)
    const hook = hooks.get(request.url?.split('/').at(-1) ?? '')
    const json = jsonOf(raw.toString('utf8'))
    const { method = '', headers } = request
    const event = at({ json }, 'event') ?? 'an event'
    hook?.received.push({ request: `the delivery of ${event}`, json, raw, method, headers })
    if (!hook?.behaviour.hangs) response.writeHead(hook ? (hook.behaviour.status ?? 204) : 404).end()
  })
  server.listen(port, url === undefined ? '127.0.0.1' : '0.0.0.0')
  await once(server, 'listening')
  const address = server.address()
  const ownPort = typeof address === 'object' && address !== null ? address.port : port
  const base = url?.replace(/\/+$/, '') ?? `http://127.0.0.1:${ownPort}`

  function open(behaviour: Behaviour = {}): Hook {
    const id = `hook-${hooks.size + 1}`
    const received: Delivery[] = []
    hooks.set(id, { behaviour, received })
    const named = (event: string) => received.filter(delivery => at(delivery, 'event') === event)
    return { url: `${base}/${id}`, received, named }
  }

  /** Falls short if `check` returns nothing before the patience ends. */
  async function until<Value>(what: string, check: () => Value | undefined): Promise<Value> {
    const endMs = Date.now() + patienceMs
    for (;;) {
      const value = check()
      if (value !== undefined) return value
      if (Date.now() > endMs) fallShort(`${what} did not arrive within ${Math.round(patienceMs / 1000)} s.`)
      await pause(POLL_MS, undefined, { signal })
    }
  }

  async function stop(): Promise<void> {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }

  return { open, until, stop }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>

/** Header `Signature`: over the received bytes, keyed with the secret as it is shown. */
export function signatureOf(raw: Buffer, secret: string): string {
  return createHmac('sha256', secret).update(raw).digest('hex')
}
