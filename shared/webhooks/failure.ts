// Why a delivery failed, and its explanation to people without an address of a private network. No I/O.
import { bareHost, isPrivateLiteral } from './address.ts'
import type { DeliveryErrorCode } from './fields.ts'

/** Why a request failed. */
export type FailureCode = Exclude<DeliveryErrorCode, 'interrupted'>

export class DeliveryError extends Error {
  readonly code: FailureCode
  /** The last day of the receiver's certificate, if it was rejected. */
  readonly validUntil: string | undefined

  constructor(code: FailureCode, cause?: unknown, validUntil?: string) {
    super(`The delivery failed: ${code}`, { cause })
    this.code = code
    this.validUntil = validUntil
  }
}

/** Codes of Node's parser. */
export const HEADER_OVERFLOW = 'HPE_HEADER_OVERFLOW'
export const UPGRADE = 'HPE_PAUSED_UPGRADE'

type Failure = {
  url: string
  error: DeliveryErrorCode
  responseStatus: number | null
  /** The error that ended the attempt. Its message may contain addresses, so only its code is used. */
  cause?: unknown
}

/** By the kind of failure. */
const SENTENCES: Record<DeliveryErrorCode, string> = {
  blocked_address: '{host} has no public address, and nothing is sent to other addresses.',
  connection: 'The connection to {host} broke before its answer was complete.',
  dns: 'The address of {host} could not be looked up.',
  interrupted: 'The service was interrupted, so {host} may have got this or not.',
  invalid_request: 'The URL cannot be requested. Change it.',
  protocol: 'The answer of {host} was not valid HTTP.',
  redirect: '{host} answered {status}, and redirects are not followed. Change the URL to the new one.',
  status: '{host} answered {status}.',
  timeout: '{host} did not answer within 5 seconds.',
  tls: 'No TLS connection to {host} could be made.',
}

const NO_ROUTE = 'There is no route to {host}.'
const UNTRUSTED =
  'The certificate of {host} cannot be verified: its chain is incomplete, or its authority is not trusted.'

/** By the kind of failure and the code that Node reports, or by what was answered before. */
const MORE_EXACT: Record<string, string> = {
  'connection ECONNREFUSED': '{host} refused the connection.',
  'connection EHOSTUNREACH': NO_ROUTE,
  'connection ENETUNREACH': NO_ROUTE,
  'dns ENOTFOUND': 'There is no host {host}.',
  'dns ENODATA': 'The host {host} has no address.',
  [`protocol ${HEADER_OVERFLOW}`]: '{host} answered with more than 16 kB of headers.',
  [`protocol ${UPGRADE}`]: '{host} switched to another protocol, which was not requested.',
  'protocol answered': '{host} answered {status}, but what followed was not valid HTTP.',
  'timeout answered': '{host} answered {status}, but its answer did not end within 5 seconds.',
  'tls CERT_HAS_EXPIRED': 'The certificate of {host} expired{day}.',
  'tls CERT_NOT_YET_VALID': 'The certificate of {host} is not valid yet.',
  'tls ERR_TLS_CERT_ALTNAME_INVALID': 'The certificate of {host} is for another name.',
  'tls DEPTH_ZERO_SELF_SIGNED_CERT': 'The certificate of {host} is signed by itself, so it is not trusted.',
  'tls SELF_SIGNED_CERT_IN_CHAIN': UNTRUSTED,
  'tls UNABLE_TO_VERIFY_LEAF_SIGNATURE': UNTRUSTED,
  'tls UNABLE_TO_GET_ISSUER_CERT': UNTRUSTED,
  'tls UNABLE_TO_GET_ISSUER_CERT_LOCALLY': UNTRUSTED,
}

/** One sentence. */
export function explain({ url, error, responseStatus, cause }: Failure): string {
  const answered = responseStatus === null ? undefined : MORE_EXACT[`${error} answered`]
  const sentence = MORE_EXACT[`${error} ${codeOf(cause)}`] ?? answered ?? SENTENCES[error]
  const until = cause instanceof DeliveryError ? cause.validUntil : undefined
  const values: Record<string, unknown> = {
    host: hostIn(url),
    status: responseStatus,
    day: until === undefined ? '' : ` on ${until}`,
  }
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name])).replace(/^the /, 'The ')
}

function hostIn(text: string): string {
  const hostname = URL.parse(text)?.hostname ?? ''
  return hostname === '' || isPrivateLiteral(hostname) ? 'the receiver' : bareHost(hostname)
}

/** The code of the error that Node reports: of the cause, if a step of the delivery has wrapped it. */
export function codeOf(error: unknown): string {
  const cause = error instanceof DeliveryError ? error.cause : error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
