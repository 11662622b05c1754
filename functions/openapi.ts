// Serves the OpenAPI document: without an envelope, open in maintenance, and counted as a public read.
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { noData } from '../shared/http/reply.ts'
import { isUnmodified, weakTag } from '../shared/lambda/etag.ts'
import { headerOf } from '../shared/lambda/request.ts'
import { serve } from '../shared/lambda/serve.ts'
import { runtime } from '../shared/runtime/runtime.ts'
import { document } from '../shared/service/api.ts'
import { apiDocument } from '../shared/service/document.ts'

/** Built while the function starts, when Lambda gives it a whole CPU. */
const openApi = apiDocument('')

/** Counts the request, and answers all but the document. */
const answer = serve(document, { getDocument: async () => noData() })

/** The address of this request. Without a custom domain, paths begin below the name of the stage. */
function serverUrlOf(event: APIGatewayProxyEvent): string {
  const { resource, requestContext } = event
  const scheme = headerOf({ event }, 'x-forwarded-proto') ?? 'https'
  const host = headerOf({ event }, 'host') ?? requestContext.domainName
  const base = requestContext.path.slice(0, Math.max(0, requestContext.path.lastIndexOf(resource)))
  return host === undefined ? base || '/' : `${scheme}://${host}${base}`
}

export async function handler(event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> {
  const answered = await answer(event, context)
  if (answered.statusCode !== 200) return answered
  const info = { ...openApi.info, version: runtime().environment.SERVICE_VERSION }
  const body = JSON.stringify({ ...openApi, info, servers: [{ url: serverUrlOf(event) }] })
  const ETag = weakTag(body)
  const headers = { ...answered.headers, ETag }
  return isUnmodified(headerOf({ event }, 'if-none-match'), ETag)
    ? { statusCode: 304, headers, body: '' }
    : { statusCode: 200, headers, body }
}
