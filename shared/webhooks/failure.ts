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

/** One sentence. */
export function explain(failure: Failure): string {
  const host = hostIn(failure.url)
  return sentenceOf(host, failure).replace(/^the /, 'The ')
}

function hostIn(text: string): string {
  const hostname = URL.parse(text)?.hostname ?? ''
  return hostname === '' || isPrivateLiteral(hostname) ? 'the receiver' : bareHost(hostname)
}

function sentenceOf(host: string, { error, responseStatus, cause }: Failure): string {
  switch (error) {
    case 'blocked_address':
      return `${host} has no public address, and nothing is sent to other addresses.`
    case 'connection':
      return connectionSentence(host, codeOf(cause))
    case 'dns':
      return dnsSentence(host, codeOf(cause))
    case 'interrupted':
      return `The service was interrupted, so ${host} may have got this or not.`
    case 'invalid_request':
      return 'The URL cannot be requested. Change it.'
    case 'protocol':
      return protocolSentence(host, codeOf(cause), responseStatus)
    case 'redirect':
      return `${host} answered ${responseStatus}, and redirects are not followed. Change the URL to the new one.`
    case 'status':
      return `${host} answered ${responseStatus}.`
    case 'timeout':
      return responseStatus === null
        ? `${host} did not answer within 5 seconds.`
        : `${host} answered ${responseStatus}, but its answer did not end within 5 seconds.`
    case 'tls':
      return certificateSentence(host, cause)
  }
}

/** The code of the error that Node reports: of the cause, if a step of the delivery has wrapped it. */
function codeOf(error: unknown): string {
  const cause = error instanceof DeliveryError ? error.cause : error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

function protocolSentence(host: string, code: string, responseStatus: number | null): string {
  if (code === HEADER_OVERFLOW) return `${host} answered with more than 16 kB of headers.`
  if (code === UPGRADE) return `${host} switched to another protocol, which was not requested.`
  return responseStatus === null
    ? `The answer of ${host} was not valid HTTP.`
    : `${host} answered ${responseStatus}, but what followed was not valid HTTP.`
}

function connectionSentence(host: string, code: string): string {
  if (code === 'ECONNREFUSED') return `${host} refused the connection.`
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `There is no route to ${host}.`
  return `The connection to ${host} broke before its answer was complete.`
}

function dnsSentence(host: string, code: string): string {
  if (code === 'ENOTFOUND') return `There is no host ${host}.`
  if (code === 'ENODATA') return `The host ${host} has no address.`
  return `The address of ${host} could not be looked up.`
}

function certificateSentence(host: string, cause: unknown): string {
  const certificate = `The certificate of ${host}`
  const until = cause instanceof DeliveryError ? cause.validUntil : undefined
  switch (codeOf(cause)) {
    case 'CERT_HAS_EXPIRED':
      return `${certificate} expired${until ? ` on ${until}` : ''}.`
    case 'CERT_NOT_YET_VALID':
      return `${certificate} is not valid yet.`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${certificate} is for another name.`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `${certificate} is signed by itself, so it is not trusted.`
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `${certificate} cannot be verified: its chain is incomplete, or its authority is not trusted.`
    default:
      return `No TLS connection to ${host} could be made.`
  }
}
