// Calls Secrets Manager without its SDK: a function makes one call per secret, at its start.
import { request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { type Credentials, openSigner } from './signature.ts'

export type SecretsAccess = {
  /** Undefined for the service's own. */
  endpoint?: string | undefined
  region: string
  credentials: Credentials
  timeoutMs: number
}

/** A version changes with every write. */
export type StoredSecret = { value: string; version: string }

/** `type` is the name of the error, such as AccessDeniedException. */
export class SecretsError extends Error {
  override name = 'SecretsError'
  readonly type: string
  constructor(type: string, message: string) {
    super(`${type}: ${message}`)
    this.type = type
  }
}

export async function readSecret(access: SecretsAccess, id: string): Promise<StoredSecret> {
  const { SecretString: value, VersionId: version } = await call(access, 'GetSecretValue', { SecretId: id })
  if (typeof value !== 'string') throw new SecretsError('InvalidSecret', `The secret ${id} has no text.`)
  return { value, version: typeof version === 'string' ? version : '' }
}

/** Throws SecretsError of type ResourceExistsException if the version exists with another value. */
export async function writeSecret(
  access: SecretsAccess,
  id: string,
  { value, version }: StoredSecret,
): Promise<void> {
  await call(access, 'PutSecretValue', { SecretId: id, SecretString: value, ClientRequestToken: version })
}

async function call(access: SecretsAccess, operation: string, input: object) {
  const { endpoint, region, credentials, timeoutMs } = access
  const url = new URL(endpoint ?? `https://secretsmanager.${region}.amazonaws.com/`)
  const body = JSON.stringify(input)
  const sign = openSigner({ region, service: 'secretsmanager' })
  const named = {
    host: url.host,
    'content-length': String(Buffer.byteLength(body)),
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `secretsmanager.${operation}`,
  }
  const headers = sign(named, body, credentials, new Date())
  const { status, answer } = await post(url, headers, body, timeoutMs)
  const { __type: type, message, Message = message, ...members } = Object(JSON.parse(answer || '{}'))
  if (status === 200) return members
  throw new SecretsError(String(type ?? status).replace(/^.*#/, ''), String(Message ?? 'no message'))
}

/** A connection of its own, since the next call comes minutes later. */
async function post(url: URL, headers: Record<string, string>, body: string, timeoutMs: number) {
  const request = url.protocol === 'http:' ? requestByHttp : requestByHttps
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; answer: string }>()
  const sent = request(
    url,
    { method: 'POST', headers, agent: false, signal: AbortSignal.timeout(timeoutMs) },
    response => text(response).then(answer => resolve({ status: response.statusCode ?? 0, answer }), reject),
  )
  sent.on('error', reject)
  sent.end(body)
  return await promise
}
