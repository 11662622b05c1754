// Sends a request to each function of a release. CloudFormation rolls back if this resource fails.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { notFound } from '../shared/http/errors.ts'
import { log } from '../shared/runtime/log.ts'

const Request = z.object({ Function: z.string(), Method: z.string(), Path: z.string() })
/** CloudFormation passes every value as a text. */
const Release = z.object({
  BaseUrl: z.url(),
  /** The host to connect to, if the DNS record of a custom domain may not exist yet. */
  ConnectTo: z.optional(z.string()),
  Requests: z.array(Request),
  /** The time limit of a request, and the pauses before the failed requests are sent again. */
  LimitSeconds: z.coerce.number(),
  PausesSeconds: z.array(z.coerce.number()),
})
type Request = z.output<typeof Request>
type Release = z.output<typeof Release>

const Event = z.looseObject({
  RequestType: z.string(),
  StackId: z.string(),
  PhysicalResourceId: z.optional(z.string()),
  ResourceProperties: z.unknown(),
  /** Presigned, and so a secret. */
  ResponseURL: z.string(),
})

export async function handler(given: unknown): Promise<void> {
  const event = Event.parse(given)
  const { StackId, RequestId, LogicalResourceId, ResourceProperties } = event
  const release = createHash('sha256').update(JSON.stringify(ResourceProperties)).digest('hex')
  const last = event.PhysicalResourceId ?? release
  // The id is that of the last release that passed. A rollback returns to it, and must not fail.
  const isNew = event.RequestType !== 'Delete' && release !== event.PhysicalResourceId
  const problems = isNew ? await check(Release.parse(ResourceProperties), StackId) : []
  const isGood = problems.length === 0
  const outcome = {
    Status: isGood ? 'SUCCESS' : 'FAILED',
    PhysicalResourceId: isNew && isGood ? release : last,
    ...(!isGood && { Reason: `This release does not answer. ${problems.join(' ')}`.slice(0, 2_000) }),
  }
  // As bytes, because a text has a content type, which the signature of the URL does not include.
  const body = new TextEncoder().encode(JSON.stringify({ ...outcome, StackId, RequestId, LogicalResourceId }))
  const { ok, status } = await fetch(event.ResponseURL, { method: 'PUT', body })
  if (!ok) throw new Error(`CloudFormation did not take the answer: status ${status}.`)
}

/** A new deployment of the gateway, a role or a domain works only after some seconds. */
async function check(release: Release, stackId: string): Promise<string[]> {
  const [, stackName = ''] = stackId.split('/')
  let failed = release.Requests.map(request => ({ request, problem: '' }))
  for (const seconds of [0, ...release.PausesSeconds]) {
    await pause(seconds * 1000)
    const asked = failed.map(async ({ request }) => ({ request, problem: await problemOf(request, release) }))
    failed = (await Promise.all(asked)).filter(({ problem }) => problem !== '')
    if (failed.length === 0) break
  }
  return failed.map(({ request: { Function: name, Method, Path }, problem }) => {
    log('error', 'a function of the release does not answer', { function: name, path: Path, problem })
    return `${name}: ${Method} ${Path} ${problem} (log group ${stackName}/${name}).`
  })
}

const Envelope = z.object({
  success: z.boolean(),
  message: z.string(),
  errors: z.optional(z.object({ code: z.string() })),
})

/** Empty if the function works. It may refuse the request, for example during maintenance or a flood. */
async function problemOf({ Method: method, Path }: Request, release: Release): Promise<string> {
  const { BaseUrl, ConnectTo: host, LimitSeconds } = release
  const url = new URL(BaseUrl + Path)
  try {
    const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      signal: AbortSignal.timeout(LimitSeconds * 1000),
      // The certificate is checked against the name in the URL.
      ...(host && { hostname: host, servername: url.hostname }),
      headers: { Host: url.host, 'User-Agent': 'check-release' },
    })
    const [response]: IncomingMessage[] = await once(outgoing.end(), 'response')
    const status = response?.statusCode ?? 0
    const { success, data } = Envelope.safeParse(response && JSON.parse(await text(response)))
    if (!success) return `answered ${status}, but not in the format of the API`
    const { message, errors } = data
    // The answer of the gateway, and of the function behind it, to a path without an endpoint.
    if (message === notFound('Endpoint').message) return 'answered 404: the gateway has no such route'
    if (status < 500 || errors?.code === 'MAINTENANCE_MODE') return ''
    return `answered ${status} ${errors?.code ?? ''}`
  } catch (error) {
    return `failed: ${error instanceof Error ? error.message || error.name : String(error)}`
  }
}
