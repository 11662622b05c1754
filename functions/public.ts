// Every public read, the document included, and the 404 for every path and method without an endpoint.
import { gzipSync } from 'node:zlib'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { categoryHandlers } from '../shared/categories/handlers.ts'
import { changesHandlers } from '../shared/changes/handlers.ts'
import { commentHandlers } from '../shared/comments/handlers.ts'
import { isUnmodified, weakTag } from '../shared/lambda/etag.ts'
import { headerOf } from '../shared/lambda/handler.ts'
import { serve } from '../shared/lambda/serve.ts'
import { postHandlers, searchHandlers } from '../shared/posts/handlers.ts'
import { runtime } from '../shared/runtime/runtime.ts'
import { document } from '../shared/site/contract.ts'
import { documentHandlers, siteHandlers, systemHandlers } from '../shared/site/handlers.ts'

export { ready } from '../shared/lambda/initialize.ts'

const answer = serve([
  ...systemHandlers,
  ...siteHandlers,
  ...postHandlers,
  ...searchHandlers,
  ...categoryHandlers,
  ...changesHandlers,
  ...commentHandlers,
  ...documentHandlers,
])

export async function handler(event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> {
  return await documentAnswer(event, await answer(event, context))
}

type Built = { server: string; body: string; zipped: string; etag: string }

/** For the server that was asked last: every client of a stage asks the same one. */
let built: Built | undefined

/** @param answered what the chain answers: it has counted the request, and all but the document is final. */
async function documentAnswer(
  event: APIGatewayProxyEvent,
  answered: APIGatewayProxyResult,
): Promise<APIGatewayProxyResult> {
  if (event.resource !== document.getDocument.path || answered.statusCode !== 200) return answered
  const server = serverUrlOf(event)
  if (built?.server !== server) built = await build(server)
  const { body, zipped, etag } = built
  const headers = { ...answered.headers, ETag: etag }
  if (isUnmodified(headerOf({ event }, 'if-none-match'), etag)) return { statusCode: 304, headers, body: '' }
  if (!ACCEPTS_GZIP.test(headerOf({ event }, 'accept-encoding') ?? '')) {
    return { statusCode: 200, headers, body }
  }
  const encoded = { ...headers, 'Content-Encoding': 'gzip' }
  return { statusCode: 200, headers: encoded, body: zipped, isBase64Encoded: true }
}

/** Without a weight of 0. The gateway passes on what is compressed, and compresses all other answers. */
const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i

/** Loads the document's texts only now: no other public read needs them. */
async function build(server: string): Promise<Built> {
  const { apiDocument } = await import('../shared/openapi/document.ts')
  const body = JSON.stringify(apiDocument(runtime().environment.SERVICE_VERSION, server))
  return { server, body, zipped: gzipSync(body).toString('base64'), etag: weakTag(body) }
}

/** The address of this request. Without a custom domain, paths begin below the name of the stage. */
function serverUrlOf(event: APIGatewayProxyEvent): string {
  const { resource, requestContext } = event
  const scheme = headerOf({ event }, 'x-forwarded-proto') ?? 'https'
  const host = headerOf({ event }, 'host') ?? requestContext.domainName
  const base = requestContext.path.slice(0, Math.max(0, requestContext.path.lastIndexOf(resource)))
  return host === undefined ? base || '/' : `${scheme}://${host}${base}`
}
