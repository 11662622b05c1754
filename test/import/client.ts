// A client of the API as an integration writes it: it waits on Retry-After, and measures times.
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

/** 429: too many requests. 409: the same request, sent before the import broke off, is still running. */
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
        // Header values are ASCII.
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
  /** For each kind of request: the number, the median time and the longest time. */
  const times = () =>
    Object.fromEntries(
      [...durations].map(([kind, all]) => {
        const sorted = all.toSorted((a, b) => a - b).map(Math.round)
        return [kind, { count: all.length, medianMs: sorted[all.length >> 1], longestMs: sorted.at(-1) }]
      }),
    )

  /** Returns the data of a success, and throws with the answer of a failure. */
  const need = async <T>(schema: z.ZodMiniType<T>, ...args: Parameters<typeof request>): Promise<T> => {
    const answer = await request(...args)
    if (!answer.success) throw new Error(`${args[0]} ${args[1]}: ${JSON.stringify(answer)}`)
    return schema.parse(answer.data)
  }
  return { request, need, times }
}
