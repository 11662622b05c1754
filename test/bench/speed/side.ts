// One of the compared checkouts, with its running service, and requests to it.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { StartOptions } from '../host.ts'
import { type Hosted, openHosted } from '../hosted.ts'

export type Side = {
  name: string
  checkout: string
  host: Hosted
  /** Of the running service. */
  baseUrl: string
  token: string
}
/** What was measured, by the keys of `GOALS`. */
export type Figures = Record<string, number>

export function openSide(name: string, checkout: string): Side {
  return { name, checkout, host: openHosted(checkout), baseUrl: '', token: '' }
}

/** Replaces the process of a side, because one that has loaded a site takes more memory. */
export async function restart(side: Side): Promise<void> {
  await side.host.exit()
  side.host = openHosted(side.checkout)
}

/** Runs the service of a side while `run` measures it. */
export async function withService<T>(side: Side, options: StartOptions, run: () => Promise<T>): Promise<T> {
  Object.assign(side, await side.host.start(options))
  try {
    return await run()
  } finally {
    await side.host.stop()
  }
}

/** How long a request is repeated that the service asks to repeat. */
const REPEATED_FOR_S = 60

type Options = { body?: unknown; headers?: Record<string, string>; token?: string }
export type Response = { ms: number; text: string; etag: string }

/** Sends a request that must succeed. One that the service asks to repeat is repeated. */
export async function send(
  side: Side,
  method: string,
  path: string,
  options: Options = {},
): Promise<Response> {
  const { body, headers, token = side.token } = options
  const startedMs = performance.now()
  for (;;) {
    const response = await fetch(`${side.baseUrl}/${path}`, {
      method,
      headers: { ...headers, ...(path.startsWith('admin/') && { Authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const retryAfter = response.headers.get('Retry-After')
    if (response.status < 400) {
      return { ms: performance.now() - startedMs, text, etag: response.headers.get('ETag') ?? '' }
    }
    if (retryAfter === null || secondsSince(startedMs) > REPEATED_FOR_S) {
      throw new Error(`${method} ${path} answered ${response.status} ${text}`)
    }
    await pause(Number(retryAfter) * 1000)
  }
}

const Created = z.object({ data: z.object({ id: z.int(), slug: z.string() }) })
export type PostText = { title: string; short_description?: string; body: string }

export async function publish(side: Side, post: PostText & { posted_at?: string }) {
  const { ms, text } = await send(side, 'POST', 'admin/posts', { body: { ...post, is_published: true } })
  return { ms, ...Created.parse(JSON.parse(text)).data }
}

/** Runs `work` from several clients. Returns how often a second it was done, after a warm-up. */
export async function rateOf(clients: number, forMs: number, work: () => Promise<unknown>): Promise<number> {
  await repeat(clients, forMs / 3, work)
  return await repeat(clients, forMs, work)
}

async function repeat(clients: number, forMs: number, work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  let done = 0
  const client = async () => {
    while (performance.now() - startedMs < forMs) {
      await work()
      done++
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return done / secondsSince(startedMs)
}

export function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
