// Calls services of AWS that speak JSON: a signed POST, and its answer or an error with its name.
import { createHash, createHmac, createSecretKey, type Hash, type Hmac, type KeyObject } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { AttributeValue, CancellationReason } from '@aws-sdk/client-dynamodb'
import { HttpRequest } from '@smithy/core/protocols'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { SignatureV4 } from '@smithy/signature-v4'

export type Service = {
  /** In the names of hosts, and in signatures. */
  name: string
  /** The part before the operation in `x-amz-target`. */
  target: string
  contentType: string
  /** The endpoint that replaces AWS's own: an emulator's, or the account's VPC endpoint. */
  endpointVariable: `AWS_ENDPOINT_URL_${'DYNAMODB' | 'SQS' | 'SECRETS_MANAGER'}`
}

/** The operations of a service by name: their input and output, as the SDK's types describe them. */
export type Operations = Record<string, [input: object, output: object]>

export type CallOptions = { requestTimeout?: number; abortSignal?: AbortSignal }

export type Call<O extends Operations> = <Name extends keyof O & string>(
  operation: Name,
  input: O[Name][0],
  options?: CallOptions,
) => Promise<O[Name][1]>

export type Client<O extends Operations> = { call: Call<O>; destroy: () => void }

export type ClientSettings = {
  endpoint: string
  region: string
  /** A function if they expire. Those of a Lambda do not change within an environment. */
  credentials: ConstructorParameters<typeof SignatureV4>[0]['credentials']
  /** Time limits and agents, if not `BOUNDS`. */
  requestHandler?: ConstructorParameters<typeof NodeHttpHandler>[0]
}

/** A call takes milliseconds, the largest transaction some hundreds. A longer call hangs. */
const BOUNDS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true }

/** The members of a failed call's answer, without its type. */
type Failure = {
  message?: string
  Message?: string
  Item?: Record<string, AttributeValue>
  CancellationReasons?: CancellationReason[]
}

/** The name is the type of the error, such as AccessDeniedException. */
export class AwsError extends Error {
  readonly status: number
  readonly failure: Failure

  constructor(name: string, status: number, failure: Failure = {}) {
    super(failure.message ?? failure.Message ?? `The answer has status ${status}.`)
    this.name = name
    this.status = status
    this.failure = failure
  }
}

/** What AWS answers if the date of a signature is wrong, among other reasons. */
const WRONG_DATE = new Set([
  'InvalidSignatureException',
  'RequestExpired',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
])
/** AWS accepts dates that are five minutes off. */
const MAX_SKEW_MS = 240_000

export function openClient<O extends Operations>(service: Service, settings: ClientSettings): Client<O> {
  const { region, credentials, requestHandler } = settings
  const { protocol, hostname, host, port, pathname } = new URL(settings.endpoint)
  const address = { protocol, hostname, path: pathname, ...(port && { port: Number(port) }) }
  const handler = new NodeHttpHandler({ ...BOUNDS, ...requestHandler })
  const signer = openSigner(service.name, { region, credentials })
  /** How far the clock of AWS is ahead of this one. */
  let aheadMs = 0

  const post = async (operation: string, body: string, options?: CallOptions) => {
    const headers = {
      host,
      'content-type': service.contentType,
      'content-length': String(Buffer.byteLength(body)),
      'x-amz-target': `${service.target}.${operation}`,
      ...traceOfInvocation(),
    }
    const request = { ...address, method: 'POST', headers, body }
    const signed = await signer.sign(request, { signingDate: new Date(Date.now() + aheadMs) })
    const { response } = await handler.handle(new HttpRequest(signed), options)
    return { status: response.statusCode, date: response.headers.date, text: await readText(response.body) }
  }

  /** Returns false if the clock is right. */
  const correctClock = (date = ''): boolean => {
    const newAheadMs = Date.parse(date) - Date.now()
    if (!(Math.abs(newAheadMs - aheadMs) > MAX_SKEW_MS)) return false
    aheadMs = newAheadMs
    return true
  }

  const call: Call<O> = async (operation, input, options) => {
    const body = JSON.stringify(input, bytesToBase64)
    let { status, date, text } = await post(operation, body, options)
    if (status !== 200 && WRONG_DATE.has(errorOf(status, text).name) && correctClock(date)) {
      ;({ status, date, text } = await post(operation, body, options))
    }
    if (status !== 200) throw errorOf(status, text)
    return parse(status, text)
  }

  return { call, destroy: () => handler.destroy() }
}

export function openSigner(
  service: string,
  { region, credentials }: Pick<ClientSettings, 'region' | 'credentials'>,
): SignatureV4 {
  return new SignatureV4({ service, region, credentials, sha256: Sha256 })
}

type SourceData = string | ArrayBuffer | ArrayBufferView

/** Node's hashes in the form that the signer takes. */
class Sha256 {
  readonly hash: Hash | Hmac

  constructor(secret?: SourceData) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', keyOf(secret))
  }

  update(data: SourceData): void {
    this.hash.update(viewOf(data))
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest()
  }
}

/** Node 24 takes bytes as a key too, but needs four times as long. */
function keyOf(secret: SourceData): string | KeyObject {
  const view = viewOf(secret)
  return typeof view === 'string' ? view : createSecretKey(view)
}

function viewOf(data: SourceData): string | Uint8Array {
  if (typeof data === 'string') return data
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data)
}

/** Lambda stops functions that invoke each other without end by it. */
function traceOfInvocation(): Record<string, string> {
  const id = process.env._X_AMZN_TRACE_ID
  return id ? { 'x-amzn-trace-id': id } : {}
}

/** By events, since iterating over a stream takes about as long as the rest of the call. */
function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => chunks.push(chunk))
    body.on('end', () => resolve(Buffer.concat(chunks).toString()))
    body.on('error', reject)
  })
}

function errorOf(status: number, text: string): AwsError {
  const { __type: type = 'UnknownError', ...failure } = Object(parse(status, text))
  return new AwsError(String(type).replace(/^.*#/, ''), status, failure)
}

function parse(status: number, text: string) {
  try {
    return JSON.parse(text || '{}', text.includes('"B"') ? base64ToBytes : undefined)
  } catch {
    throw new AwsError('UnreadableAnswer', status)
  }
}

/** JSON has the bytes of an attribute as base64. `value` is what Buffer has made of its bytes for JSON. */
function bytesToBase64(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const bytes = this[name]
  if (!(bytes instanceof Uint8Array)) return value
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Only the attribute type B has a text under this name. */
function base64ToBytes(name: string, value: unknown): unknown {
  return name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value
}
