// The table of error codes, and the only error whose message is for the caller.

/** Clients branch on these codes, never on a message. */
export const ERROR_STATUS = {
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  FORBIDDEN: 403,
  ACCOUNT_BANNED: 403,
  REGISTRATION_DISABLED: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  IDEMPOTENCY_CONFLICT: 409,
  CURSOR_EXPIRED: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  VALIDATION_ERROR: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  DELIVERY_FAILED: 502,
  MAINTENANCE_MODE: 503,
  UNAVAILABLE: 503,
  TIMEOUT: 504,
} as const
export type ErrorCode = keyof typeof ERROR_STATUS

/** Messages by field path, with dots: `{ "category_ids.1": ["…"] }`. */
export type Fields = Record<string, string[]>

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly fields: Fields | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    details: { fields?: Fields; retryAfterSeconds?: number } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.fields = details.fields
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

export function notFound(what: string): ApiError {
  return new ApiError('NOT_FOUND', `${what} not found.`)
}

/** Reports all faults of an input in one answer. */
export function invalid(fields: Fields): ApiError {
  return new ApiError('VALIDATION_ERROR', 'The given data was invalid.', { fields })
}

/** @param waitMs until the next request is allowed. */
export function rateLimited(message: string, waitMs: number): ApiError {
  return new ApiError('RATE_LIMITED', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) })
}
