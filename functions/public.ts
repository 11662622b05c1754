// Every public read, the document included, and the 404 for every path and method without an endpoint.
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { categoryHandlers } from '../shared/categories/handlers.ts'
import { changesHandlers } from '../shared/changes/handlers.ts'
import { commentHandlers } from '../shared/comments/handlers.ts'
import { serve } from '../shared/lambda/serve.ts'
import { postHandlers, searchHandlers } from '../shared/posts/handlers.ts'
import { documentAnswer } from '../shared/service/document-answer.ts'
import { documentHandlers, siteHandlers, systemHandlers } from '../shared/site/handlers.ts'

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
