// The rule of the smoke test: which answers show that a function does not work.
import * as z from 'zod/mini'
import { notFound } from '../http/errors.ts'
import type { HttpAnswer } from './http.ts'

/** The API's envelope, or the OpenAPI document, which has none. */
const Body = z.union([
  z.object({
    success: z.boolean(),
    message: z.string(),
    data: z.optional(z.unknown()),
    errors: z.optional(z.object({ code: z.string(), fields: z.optional(z.unknown()) })),
  }),
  z.object({ openapi: z.string() }),
])

/** The message of a 404 by the gateway or by `system`, to which paths without an endpoint lead. */
const NO_ENDPOINT = notFound('Endpoint').message

export const IN_MAINTENANCE = 'MAINTENANCE_MODE'

/** The parts of an answer in the API's envelope. */
export type Envelope = { message?: string; code?: string | undefined; fields?: unknown; data?: unknown }

/** Undefined for an answer that is not in the JSON format of the API. */
export function envelopeOf({ body }: HttpAnswer): Envelope | undefined {
  const read = Body.safeParse(jsonIn(body))
  if (!read.success) return undefined
  if ('openapi' in read.data) return {}
  const { message, data, errors } = read.data
  return { message, data, ...errors }
}

/** Undefined if the function works: it may refuse the request, also because of maintenance. */
export function problemOf(answer: HttpAnswer): string | undefined {
  const { status } = answer
  const envelope = envelopeOf(answer)
  if (!envelope) return `answered ${status}, but not in the JSON format of the API`
  const { message, code } = envelope
  if (status === 404 && message === NO_ENDPOINT) return 'answered 404: the gateway has no such route'
  if (status >= 500 && code !== IN_MAINTENANCE) return `answered ${status} ${code ?? ''}`.trim()
  return undefined
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
