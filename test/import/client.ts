// The API as an integration sees it: a base URL and a token, patience where it is asked for, and a stopwatch.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'

const Envelope = z.object({
  success: z.boolean(),
  message: z.string(),
  data: z.optional(z.unknown()),
  pagination: z.optional(z.object({ total: z.int(), last_page: z.int() })),
  errors: z.optional(
    z.object({ code: z.string(), fields: z.optional(z.record(z.string(), z.array(z.string()))) }),
  ),
})
export type Envelope = z.infer<typeof Envelope>

/** Too many requests; or the same one, sent before it was broken off, is still running. */
const WAIT_AND_REPEAT = new Set([429, 409])

export type Client = ReturnType<typeof openClient>

export function openClient(baseUrl: string, token: string) {
  const durations = new Map<string, number[]>()
  const request = async (
    method: string,
    path: string,
    { body, idempotencyKey }: { body?: unknown; idempotencyKey?: string } = {},
  ): Promise<Envelope> => {
    const startedMs = performance.now()
    const response = await fetch(`${baseUrl}/api/v1/${path}`, {
      method,
      headers: {
        ...(path.startsWith('admin/') && { Authorization: `Bearer ${token}` }),
        // Headers are ASCII.
        ...(idempotencyKey && { 'Idempotency-Key': encodeURIComponent(idempotencyKey) }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const retryAfter = response.headers.get('Retry-After')
    if (retryAfter !== null && WAIT_AND_REPEAT.has(response.status)) {
      await response.arrayBuffer()
      await pause(Number(retryAfter) * 1000)
      return request(method, path, { body, ...(idempotencyKey && { idempotencyKey }) })
    }
    const answer: unknown = await response.json()
    record(`${method} ${/^(?:admin\/)?\w+/.exec(path)?.[0]}`, performance.now() - startedMs)
    return Envelope.parse(answer)
  }

  const record = (kind: string, ms: number) => durations.set(kind, [...(durations.get(kind) ?? []), ms])
  /** Of each kind of request: how many, and how long they took. */
  const times = () =>
    Object.fromEntries(
      [...durations].map(([kind, all]) => {
        const sorted = all.toSorted((a, b) => a - b).map(Math.round)
        return [kind, { count: all.length, medianMs: sorted[all.length >> 1], longestMs: sorted.at(-1) }]
      }),
    )

  /** The data of a success; throws with what the service said otherwise. */
  const need = async <T>(schema: z.ZodMiniType<T>, ...args: Parameters<typeof request>): Promise<T> => {
    const answer = await request(...args)
    if (!answer.success) throw new Error(`${args[0]} ${args[1]}: ${JSON.stringify(answer)}`)
    return schema.parse(answer.data)
  }
  return { request, need, times }
}
