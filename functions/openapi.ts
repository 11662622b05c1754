// The API's document. It is no answer of the API: bare, not limited, open in maintenance, and it reads no table.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { CORS_HEADERS } from '../shared/http/cors.ts'
import { SECURITY_HEADERS } from '../shared/http/security.ts'
import { isUnmodified, weakTag } from '../shared/lambda/conditional.ts'
import { headerOf } from '../shared/lambda/request-context.ts'
import { requestIdOf } from '../shared/lambda/request-id.ts'
import { apiDocument } from '../shared/service/document.ts'

/** Made while the function starts, when Lambda gives it a whole CPU. */
const document = apiDocument(process.env.SERVICE_VERSION ?? '0.0.0')

/** Paths begin at the root of the host or, without a domain of one's own, below the name of the stage. */
function serverUrlOf({ resource, requestContext: { path } }: APIGatewayProxyEvent): string {
  const at = path.lastIndexOf(resource)
  return at > 0 ? path.slice(0, at) : '/'
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
