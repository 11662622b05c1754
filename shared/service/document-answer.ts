// Answers requests of the OpenAPI document: without an envelope, with the request's address as server.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { isUnmodified, weakTag } from '../lambda/etag.ts'
import { headerOf } from '../lambda/handler.ts'
import { runtime } from '../runtime/runtime.ts'
import { document } from '../site/contract.ts'

type Built = { server: string; body: string; etag: string }

/** For the server that was asked last: every client of a stage asks the same one. */
let built: Built | undefined

/** @param answered what the chain answers: it has counted the request, and all but the document is final. */
export async function documentAnswer(
  event: APIGatewayProxyEvent,
  answered: APIGatewayProxyResult,
): Promise<APIGatewayProxyResult> {
  if (event.resource !== document.getDocument.path || answered.statusCode !== 200) return answered
  const server = serverUrlOf(event)
  if (built?.server !== server) built = await build(server)
  const { body, etag } = built
  const headers = { ...answered.headers, ETag: etag }
  return isUnmodified(headerOf({ event }, 'if-none-match'), etag)
    ? { statusCode: 304, headers, body: '' }
    : { statusCode: 200, headers, body }
}

/** Loads the document's texts only now: no other public read needs them. */
async function build(server: string): Promise<Built> {
  const { apiDocument } = await import('./document.ts')
  const body = JSON.stringify(apiDocument(runtime().environment.SERVICE_VERSION, server))
  return { server, body, etag: weakTag(body) }
}

/** The address of this request. Without a custom domain, paths begin below the name of the stage. */
function serverUrlOf(event: APIGatewayProxyEvent): string {
  const { resource, requestContext } = event
  const scheme = headerOf({ event }, 'x-forwarded-proto') ?? 'https'
  const host = headerOf({ event }, 'host') ?? requestContext.domainName
  const base = requestContext.path.slice(0, Math.max(0, requestContext.path.lastIndexOf(resource)))
  return host === undefined ? base || '/' : `${scheme}://${host}${base}`
}
