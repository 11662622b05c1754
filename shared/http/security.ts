// Headers of every answer, the gateway's own included, that narrow what a browser may make of it.

/** Over plain http, as in the local run, browsers pass over the second one (RFC 6797, 8.1). */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
}
