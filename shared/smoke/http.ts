// Sends one request. Unlike `fetch`, it can connect to another host than the URL's.
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'

export type HttpRequest = {
  method: string
  url: URL
  connectTo?: string | undefined
  limitMs: number
  /** Ends the request sooner. */
  signal?: AbortSignal
  headers?: Record<string, string>
  body?: string | undefined
}
export type HttpAnswer = { status: number; body: string }

/** Rejects if there is no complete answer within the limit. Follows no redirects. */
export async function send(request: HttpRequest): Promise<HttpAnswer> {
  const { method, url, connectTo, limitMs, headers, body } = request
  const limit = AbortSignal.timeout(limitMs)
  const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit
  const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
    method,
    signal,
    agent: false,
    // The certificate is checked against the name in the URL.
    ...(connectTo && { hostname: connectTo, servername: url.hostname }),
    // Firewalls commonly refuse requests without a user agent.
    headers: { Host: url.host, 'User-Agent': 'smoke-test', ...headers },
  })
  outgoing.end(body)
  try {
    const [response]: IncomingMessage[] = await once(outgoing, 'response')
    if (!response) throw new Error('no response')
    return { status: response.statusCode ?? 0, body: await text(response) }
  } catch (error) {
    throw limit.aborted ? new Error(`no answer within ${limitMs / 1000} s`) : error
  }
}
