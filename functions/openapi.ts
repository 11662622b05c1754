// Serves the OpenAPI document: without an envelope, not limited, open in maintenance, and without the table.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { CORS_HEADERS } from '../shared/http/cors.ts'
import { SECURITY_HEADERS } from '../shared/http/security.ts'
import { isUnmodified, weakTag } from '../shared/lambda/conditional.ts'
import { headerOf } from '../shared/lambda/request-context.ts'
import { requestIdOf } from '../shared/lambda/request-id.ts'
import { apiDocument } from '../shared/service/document.ts'

/** Built while the function starts, when Lambda gives it a whole CPU. */
const document = apiDocument(process.env.SERVICE_VERSION ?? '0.0.0')

/** The address of this request. Without a custom domain, paths begin below the name of the stage. */
function serverUrlOf(event: APIGatewayProxyEvent): string {
  const { resource, requestContext } = event
  const scheme = headerOf({ event }, 'x-forwarded-proto') ?? 'https'
  const host = headerOf({ event }, 'host') ?? requestContext.domainName
  const base = requestContext.path.slice(0, Math.max(0, requestContext.path.lastIndexOf(resource)))
  return host === undefined ? base || '/' : `${scheme}://${host}${base}`
}

export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const body = JSON.stringify({ ...document, servers: [{ url: serverUrlOf(event) }] })
  const ETag = weakTag(body)
  const headers = {
    ...CORS_HEADERS,
    ...SECURITY_HEADERS,
    'X-Request-Id': requestIdOf(event),
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'public, no-cache',
    Vary: 'Accept-Encoding',
    ETag,
  }
  return isUnmodified(headerOf({ event }, 'if-none-match'), ETag)
    ? { statusCode: 304, headers, body: '' }
    : { statusCode: 200, headers, body }
}
