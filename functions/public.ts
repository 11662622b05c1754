// Every public read, the document included, and the 404 for every path and method without an endpoint.
import { categoryHandlers } from '../shared/categories/handlers.ts'
import { changesHandlers } from '../shared/changes/handlers.ts'
import { commentHandlers } from '../shared/comments/handlers.ts'
import { type AnswerBody, noData } from '../shared/http/reply.ts'
import { weakTag } from '../shared/lambda/etag.ts'
import { handlersOf } from '../shared/lambda/handler.ts'
import { serve } from '../shared/lambda/serve.ts'
import { postHandlers, searchHandlers } from '../shared/posts/handlers.ts'
import { document } from '../shared/site/contract.ts'
import { siteHandlers, systemHandlers } from '../shared/site/handlers.ts'

export { ready } from '../shared/lambda/initialize.ts'

/** For the address that was asked last: every client of a stage asks the same one. */
let built: { serverUrl: string; body: AnswerBody } | undefined

const documentHandlers = handlersOf(document, {
  getDocument: async ({ serverUrl, environment }) => {
    if (built?.serverUrl !== serverUrl) {
      built = { serverUrl, body: await buildDocument(environment.SERVICE_VERSION, serverUrl) }
    }
    return { ...noData(), body: built.body }
  },
})

/** Loads the document's texts only now: no other public read needs them. */
async function buildDocument(version: string, serverUrl: string): Promise<AnswerBody> {
  const { apiDocument } = await import('../shared/openapi/document.ts')
  const json = JSON.stringify(apiDocument(version, serverUrl))
  return { json, etag: weakTag(json) }
}

export const handler = serve([
  ...systemHandlers,
  ...siteHandlers,
  ...postHandlers,
  ...searchHandlers,
  ...categoryHandlers,
  ...changesHandlers,
  ...commentHandlers,
  ...documentHandlers,
])
