// Calls of AWS services for which the project has no SDK package: a signed POST to `/`.
import { type ClientSettings, openSigner } from '../../shared/aws/client.ts'
import { beginningOf } from '../../shared/http/text.ts'

const TIMEOUT_MS = 10_000

export type AwsAccount = Pick<ClientSettings, 'region' | 'credentials'> & {
  /** Undefined for the service's own. */
  endpoint: string | undefined
}

type AwsRequest = { service: string; body: string; headers: Record<string, string> }

/** The text of the answer. Throws an error with the name that the service gives it. */
export async function callAws({ endpoint, ...account }: AwsAccount, { service, body, headers }: AwsRequest) {
  const url = new URL(endpoint ?? `https://${service}.${account.region}.amazonaws.com/`)
  const { protocol, hostname, host, pathname: path } = url
  const request = { method: 'POST', protocol, hostname, path, headers: { host, ...headers }, body }
  const signed = await openSigner(service, account).sign(request)
  const response = await fetch(url, {
    method: 'POST',
    headers: signed.headers,
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  if (response.ok) return text
  const error = new Error(memberOf(text, 'Message') ?? memberOf(text, 'message') ?? beginningOf(text, 200))
  const code = memberOf(text, 'Code') ?? memberOf(text, '__type')
  error.name = code?.replace(/^.*#/, '') ?? `status ${response.status}`
  throw error
}

/** The first value of a member, in JSON or XML. */
export function memberOf(text: string, name: string): string | undefined {
  return (
    new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ??
    new RegExp(`"${name}"\\s*:\\s*"([^"]*)"`).exec(text)?.[1]
  )
}
