// A proxy in front of the service, which changes requests, answers and deliveries as one planted fault says.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { openServer } from '../../support/server.ts'
import { jsonOf } from '../values.ts'
import { type Exchange, edit, type Fault, type Reply } from './fault.ts'

const PREFIX = '/api/v1'
/** Headers of one connection. */
const HOP_BY_HOP = /^(?:connection|keep-alive|transfer-encoding|content-length|content-encoding|host|date)$/i

export async function openProxy(target: string) {
  let fault: Fault = {}
  const { url, stop } = await openServer((request, response) => {
    const handle = request.url?.startsWith('/relay') ? relay : answer
    handle(request, response).catch(error => response.destroy(error))
  })

  async function forward({ request, query, headers, body }: Exchange): Promise<Reply> {
    const [method = 'GET', path = ''] = request.split(' ')
    const search = query.size > 0 ? `?${query}` : ''
    const response = await fetch(`${target}${PREFIX}${path}${search}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return {
      status: response.status,
      headers: kept(Object.fromEntries(response.headers)),
      json: jsonOf(await response.text()),
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const exchange: Exchange = {
      request: `${request.method} ${pathname.slice(PREFIX.length)}`,
      query: searchParams,
      headers: kept(request.headers),
      body: jsonOf(await text(request)),
    }
    const { on = /./, before, after, delivery } = fault
    const applies = on.test(exchange.request)
    const isSubscription = delivery !== undefined && exchange.request === 'POST /admin/webhooks'
    if (isSubscription) edit(exchange.body, 'url', to => `${url}/relay?to=${encodeURIComponent(String(to))}`)
    const reply = (applies && before?.(exchange)) || (await forward(exchange))
    if (applies) after?.(reply)
    if (isSubscription) edit(reply.json, 'data.url', from => new URL(String(from)).searchParams.get('to'))
    response.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers })
    response.end(reply.json === undefined ? '' : JSON.stringify(reply.json))
  }

  /** The subscriber's answer to the first of what it gets is the answer to the delivery. */
  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const to = new URL(request.url ?? '/', url).searchParams.get('to') ?? ''
    const sent = { method: 'POST', headers: kept(request.headers), body: await buffer(request) }
    const answers: Response[] = []
    for (const { body, ...rest } of fault.delivery?.(sent) ?? [sent]) {
      answers.push(await fetch(to, { ...rest, body: new Uint8Array(body) }))
    }
    response.writeHead(answers[0]?.status ?? 204).end()
  }

  return {
    url,
    plant: (planted: Fault) => {
      fault = planted
    },
    stop,
  }
}

function kept(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.test(name))
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}
