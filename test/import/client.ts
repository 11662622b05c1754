// The API as an integration sees it: a base URL and a token, and patience with a 429.
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'

const Envelope = z.object({
  success: z.boolean(),
  message: z.string(),
  data: z.unknown().optional(),
  pagination: z.object({ total: z.int(), last_page: z.int() }).optional(),
  errors: z
    .object({ code: z.string(), fields: z.record(z.string(), z.array(z.string())).optional() })
    .optional(),
})
export type Envelope = z.infer<typeof Envelope>

export type Client = ReturnType<typeof openClient>

export const openClient = (baseUrl: string, token: string) => {
  const request = async (
    method: string,
    path: string,
    { body, idempotencyKey }: { body?: unknown; idempotencyKey?: string } = {},
  ): Promise<Envelope> => {
    const response = await fetch(`${baseUrl}/api/v1/${path}`, {
      method,
      headers: {
        ...(path.startsWith('admin/') && { Authorization: `Bearer ${token}` }),
        // Headers are ASCII.
        ...(idempotencyKey && { 'Idempotency-Key': encodeURIComponent(idempotencyKey) }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (response.status === 429) {
      await pause(Number(response.headers.get('Retry-After')) * 1000)
      return request(method, path, { body, ...(idempotencyKey && { idempotencyKey }) })
    }
    return Envelope.parse(await response.json())
  }

  /** The data of a success; throws with what the service said otherwise. */
  const need = async <T>(schema: z.ZodType<T>, ...args: Parameters<typeof request>): Promise<T> => {
    const answer = await request(...args)
    if (!answer.success) throw new Error(`${args[0]} ${args[1]}: ${JSON.stringify(answer)}`)
    return schema.parse(answer.data)
  }
  return { request, need }
}
