// The HTTP server of the local run with a function of the test behind all routes.
import { type OutgoingHttpHeaders, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { readHosts } from '../../infra/local/http/hosts.ts'
import { type ServerOptions, startServer } from '../../infra/local/http/server.ts'

type Invoke = ServerOptions['invoke']
type ProxyEvent = Parameters<Invoke>[1]

export function answering(text: string): ReturnType<Invoke> {
  return Promise.resolve({ statusCode: 200, headers: {}, body: Buffer.from(text) })
}

/** `invoke` stands for all functions; by default it answers with nothing. Stops after the test. */
export async function startHttp(invoke: Invoke = () => answering('')) {
  const calls: { name: string; event: ProxyEvent }[] = []
  const lines: string[] = []
  const server = await startServer({
    port: 0,
    hosts: readHosts([]),
    log: (line, level) => void lines.push(`${level} ${line}`),
    invoke: (name, event) => {
      calls.push({ name, event })
      return invoke(name, event)
    },
  })
  onTestFinished(() => server.stop())
  const url = `http://127.0.0.1:${server.port}`
  /** Sends a request and returns what the function got. */
  const received = async (method: string, path: string, init: RequestInit = {}) => {
    await fetch(url + path, { ...init, method })
    const call = calls.at(-1)
    if (!call) throw new Error('No function was called.')
    return call
  }
  return { url, port: server.port, calls, lines, received, stop: server.stop }
}

/** Sends a GET with exactly these headers on a connection of its own. */
export function plainGet(url: string, headers: OutgoingHttpHeaders = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent: false }, response => {
      response.toArray().then(parts => resolve(parts.join('')), reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
