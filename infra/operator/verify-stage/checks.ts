// What only AWS can show of a deployed stage: sentences that no document and no emulator settles.
import { randomBytes } from 'node:crypto'
import { connect, type SecureVersion } from 'node:tls'
import { GetAccountCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { NOT_UTF8 } from '../../../shared/http/text.ts'

export type VerifiedStage = {
  baseUrl: string
  /** A token of an admin. */
  token: string
  /** Empty if the stage sends no mails. */
  mailSender: string
}

/** `run` returns what was seen, and throws for what does not hold. */
export type Check = { name: string; run: (stage: VerifiedStage) => Promise<string> }

/** The sentence can be neither shown nor refuted here. */
export class CannotTell extends Error {}

type Request = {
  method: string
  path: string
  asAdmin?: boolean
  headers?: Record<string, string>
  body?: RequestInit['body']
}
type Answer = { status: number; headers: Headers; text: string }

/** Longer than API Gateway waits for a function. */
const TIMEOUT_MS = 35_000

async function ask({ baseUrl, token }: VerifiedStage, request: Request): Promise<Answer> {
  const { path, asAdmin, headers, ...init } = request
  const response = await fetch(baseUrl + path, {
    ...init,
    headers: { ...headers, ...(asAdmin && { Authorization: `Bearer ${token}` }) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** `404 NOT_FOUND` */
function codeOf({ status, text }: Answer): string {
  const code = status < 400 ? undefined : /"code":"(\w+)"/.exec(text)?.[1]
  return code ? `${status} ${code}` : String(status)
}

/** Requests, and the answer that each of them must get. `also` returns what else is wrong with it. */
function answers(
  name: string,
  wanted: string,
  requests: Request[],
  also: (answer: Answer) => string | undefined = () => undefined,
): Check {
  const run = async (stage: VerifiedStage) => {
    for (const request of requests) {
      const answer = await ask(stage, request)
      const call = `${request.method} ${request.path}${request.asAdmin ? ' with a token' : ''}`
      if (codeOf(answer) !== wanted) throw new Error(`${call} answers ${codeOf(answer)}, not ${wanted}.`)
      const problem = also(answer)
      if (problem) throw new Error(`${call}: ${problem}`)
    }
    return `all ${requests.length} answers are ${wanted}`
  }
  return { name, run }
}

const GET = { method: 'GET' }
const PREFLIGHT = { method: 'OPTIONS', path: '/api/v1/posts' }
/** API Gateway takes 10 MB. */
const TOO_LARGE = Buffer.alloc(11 * 1024 * 1024, 'x')
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The gateway sends its id in a header of its own as well. */
function withoutId({ headers }: Answer): string | undefined {
  const id = headers.get('x-request-id') ?? 'none'
  const gatewayId = headers.get('x-amzn-requestid') ?? id
  return ID.test(id) && id === gatewayId ? undefined : `its id is ${id}; the gateway says ${gatewayId}.`
}

/** `fetch` has decoded it. */
function withoutGzip({ headers, text }: Answer): string | undefined {
  const [encoding, vary] = [headers.get('content-encoding'), headers.get('vary')]
  if (encoding !== 'gzip') return `the encoding is ${encoding ?? 'none'}.`
  if (!/accept-encoding/i.test(vary ?? '')) return `Vary is ${vary ?? 'none'}.`
  return text.startsWith('{') ? undefined : 'there is no JSON in it.'
}

/** A category is written by one transaction, and fires no event. Readers see it for a moment. */
async function writeCategory(stage: VerifiedStage): Promise<string> {
  const slug = `नमस्ते-${randomBytes(4).toString('hex')}`
  const path = '/api/v1/admin/categories'
  const body = JSON.stringify({ name: `verify-stage ${slug}`, slug })
  const created = await ask(stage, { method: 'POST', path, asAdmin: true, body })
  const request = created.headers.get('x-request-id')
  if (created.status !== 201) throw new Error(`${codeOf(created)}: read the log of request ${request}.`)
  const id = Number(/"id":(\d+)/.exec(created.text)?.[1])
  const reading = ask(stage, { ...GET, path: `/api/v1/categories/${encodeURIComponent(slug)}` })
  await reading.catch(() => undefined)
  const deletion = { method: 'DELETE', path: `${path}/${id}`, asAdmin: true }
  const deleted = await ask(stage, deletion).then(codeOf, String)
  if (!/^2\d\d$/.test(deleted)) throw new Error(`Not deleted: the category ${id}. ${deleted}`)
  const read = await reading
  if (!read.text.includes(slug)) throw new Error(`Reading ${slug} answers ${codeOf(read)}.`)
  return `201, and 200 for ${slug}`
}

async function tryTls({ baseUrl }: VerifiedStage): Promise<string> {
  const { protocol, hostname, port } = new URL(baseUrl)
  if (protocol !== 'https:') throw new CannotTell(`${baseUrl} is not an address of HTTPS.`)
  for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2'] as const) {
    const found = await tryVersion(hostname, Number(port || 443), version)
    const isOwn = /no protocols available|unsupported protocol.*client|NO_PROTOCOLS/i.test(found)
    if (isOwn) throw new CannotTell(`The OpenSSL of this machine does not offer ${version}.`)
    if ((found === 'accepted') !== (version === 'TLSv1.2')) throw new Error(`${version}: ${found}.`)
  }
  return 'TLS 1.0 and 1.1 are refused, TLS 1.2 is accepted'
}

/** Nothing is sent over the connection, so its certificate need not be checked. */
function tryVersion(host: string, port: number, version: SecureVersion): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  // By default OpenSSL offers no version below 1.2.
  const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' }
  const socket = connect({ host, port, servername: host, ...versions, rejectUnauthorized: false })
  socket.setTimeout(10_000, () => resolve('timeout'))
  socket.on('secureConnect', () => resolve('accepted'))
  socket.on('error', error => resolve(error.message))
  return promise.finally(() => socket.destroy())
}

async function askSes({ mailSender }: VerifiedStage): Promise<string> {
  if (!mailSender) throw new CannotTell('The stage sends no mails: its parameter MailSender is empty.')
  const client = new SESv2Client()
  const { ProductionAccessEnabled, SendingEnabled } = await client.send(new GetAccountCommand())
  if (ProductionAccessEnabled && SendingEnabled) return 'it sends to any address'
  throw new Error(
    ProductionAccessEnabled
      ? 'AWS has paused sending for the account.'
      : 'Only verified addresses get mails. Ask AWS for production access.',
  )
}

/** The first one comes first: if no role may write, the others say little. */
export const CHECKS: Check[] = [
  {
    name: 'the role of a function may write, and a path that is not ASCII is decoded once',
    run: writeCategory,
  },
  answers('requests without an API key', '200', [
    { ...GET, path: '/api/v1/categories' },
    { ...GET, path: '/api/v1/settings/public' },
    { ...GET, path: '/api/v1/posts?per_page=1' },
  ]),
  answers(
    'preflights of known and unknown paths',
    '204',
    [PREFLIGHT, { ...PREFLIGHT, path: '/api/v1/no/such' }],
    ({ headers }) =>
      headers.get('access-control-allow-methods')?.includes('PATCH') ? undefined : 'no CORS headers.',
  ),
  answers('unknown methods and paths, with and without a token', '404 NOT_FOUND', [
    { method: 'PUT', path: '/api/v1/posts' },
    { method: 'PUT', path: '/api/v1/posts', asAdmin: true },
    { ...GET, path: '/api/v1/no/such' },
    { ...GET, path: '/api/v1/no/such', asAdmin: true },
  ]),
  answers(
    'the id of a request in an answer of the gateway: a body that is too large',
    '413 PAYLOAD_TOO_LARGE',
    [{ method: 'POST', path: '/api/v1/contact', body: TOO_LARGE }],
    withoutId,
  ),
  answers('the id of a request in an answer of the gateway: a preflight', '204', [PREFLIGHT], withoutId),
  answers(
    'texts that are not UTF-8',
    '422 VALIDATION_ERROR',
    [
      // It makes no record even where the check does not hold: it lacks the required members.
      { method: 'POST', path: '/api/v1/contact', body: Buffer.from('{"unknown":"caf\xe9"}', 'latin1') },
      { ...GET, path: '/api/v1/posts?category=caf%E9' },
      { ...GET, path: '/api/v1/posts/caf%E9' },
    ],
    ({ text }) => (text.includes(NOT_UTF8) ? undefined : 'it does not say so.'),
  ),
  answers('HEAD without a body', '200', [{ method: 'HEAD', path: '/api/v1/categories' }], ({ text }) =>
    text === '' ? undefined : `there are ${text.length} characters.`,
  ),
  answers(
    'gzip for a client that prefers brotli',
    '200',
    ['/openapi.json', '/api/v1/admin/settings'].map(path => {
      return { ...GET, path, asAdmin: true, headers: { 'Accept-Encoding': 'br, gzip' } }
    }),
    withoutGzip,
  ),
  { name: 'the TLS policy', run: tryTls },
  { name: 'SES outside its sandbox', run: askSes },
]
