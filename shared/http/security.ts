// Security headers of every answer, including the gateway's own.

/** Over plain http, as in the local run, browsers ignore the second header (RFC 6797, 8.1). */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
}
