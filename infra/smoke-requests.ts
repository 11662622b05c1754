// The requests of the smoke test, from the declarations of the endpoints.
import { type Endpoint, isBodyOptional, namesIn } from '../shared/http/endpoint.ts'
import { adminPosts } from '../shared/posts/contract.ts'
import { API_FUNCTIONS, DOCUMENT } from '../shared/service/api.ts'
import type { WritingEndpoint } from '../shared/smoke/properties.ts'
import { adminWebhooks } from '../shared/webhooks/contract.ts'

type Request = { Function: string; Method: string; Path: string }

/** How much of the service a request without a token uses, the most first, as long as it changes nothing. */
const HARMLESS: ((endpoint: Endpoint) => boolean)[] = [
  ({ method, ability, params }) => method === 'GET' && ability === null && namesIn(params).length === 0,
  ({ method, ability }) => method === 'GET' && ability === null,
  ({ method, params }) => method === 'GET' && namesIn(params).length === 0,
  ({ ability }) => ability !== null,
  // Without its body, the request is refused with 422.
  endpoint => endpoint.body !== null && !isBodyOptional(endpoint),
]

/** @param name of a function that answers requests. */
export function harmlessRequest(name: string): Request {
  if (name === DOCUMENT.name) return { Function: name, Method: 'GET', Path: DOCUMENT.path }
  const endpoints = Object.values(API_FUNCTIONS[name]?.endpoints ?? {})
  const [endpoint] = HARMLESS.flatMap(isHarmless => endpoints.filter(isHarmless))
  if (!endpoint) {
    throw new Error(
      `The smoke test has no harmless request for ${name}. Add a rule to HARMLESS in infra/smoke-requests.ts.`,
    )
  }
  return { Function: name, Method: endpoint.method, Path: endpoint.path.replaceAll(/\{\w+\}/g, '1') }
}

/** What the smoke test sends if it has a token. */
export function writingRequests<Complete>(
  complete: (request: Request) => Complete,
): Record<WritingEndpoint, Complete> {
  const to = (endpoint: Endpoint) => complete(requestTo(endpoint))
  return {
    ListPosts: to(adminPosts.listPosts),
    CreatePost: to(adminPosts.createPost),
    GetPost: to(adminPosts.getPost),
    DeletePost: to(adminPosts.deletePost),
    ListWebhooks: to(adminWebhooks.listWebhooks),
    CreateWebhook: to(adminWebhooks.createWebhook),
    TestWebhook: to(adminWebhooks.testWebhook),
    GetWebhook: to(adminWebhooks.getWebhook),
    DeleteWebhook: to(adminWebhooks.deleteWebhook),
    ListDeliveries: to(adminWebhooks.listDeliveries),
  }
}

function requestTo(endpoint: Endpoint): Request {
  const [name] =
    Object.entries(API_FUNCTIONS).find(([, { endpoints }]) => Object.values(endpoints).includes(endpoint)) ??
    []
  if (name === undefined) throw new Error(`No function answers ${endpoint.method} ${endpoint.path}.`)
  return { Function: name, Method: endpoint.method, Path: endpoint.path }
}
