// The rule of the smoke test: which answers show that a function does not work.
import * as z from 'zod/mini'
import { notFound } from '../http/errors.ts'
import type { HttpAnswer } from './http.ts'

/** The API's envelope, or the OpenAPI document, which has none. */
const Body = z.union([
  z.object({
    success: z.boolean(),
    message: z.string(),
    errors: z.optional(z.object({ code: z.string() })),
  }),
  z.object({ openapi: z.string() }),
])

/** The message of a 404 by the gateway or by `system`, to which paths without an endpoint lead. */
const NO_ENDPOINT = notFound('Endpoint').message

/** Undefined if the function works: it may refuse the request, also because of maintenance. */
export function problemOf({ status, body }: HttpAnswer): string | undefined {
  const read = Body.safeParse(jsonIn(body))
  if (!read.success) return `answered ${status}, but not in the JSON format of the API`
  const { message, code } =
    'openapi' in read.data ? {} : { message: read.data.message, code: read.data.errors?.code }
  if (status === 404 && message === NO_ENDPOINT) return 'answered 404: the gateway has no such route'
  if (status >= 500 && code !== 'MAINTENANCE_MODE') return `answered ${status} ${code ?? ''}`.trim()
  return undefined
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
