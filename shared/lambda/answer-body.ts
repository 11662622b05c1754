// The body of an answer and its ETag, built once from a reply for the response and for the kept answer.
import type { Endpoint } from '../http/endpoint.ts'
import { successJson } from '../http/envelope.ts'
import type { Reply } from '../http/reply.ts'
import { strongTag, weakTag } from './conditional.ts'

type AnswerBody = { json: string; etag: string | undefined }

const built = new WeakMap<Reply, AnswerBody & { endpoint: Endpoint }>()

/** A reply does not change after it was first used here. */
export function bodyOf(endpoint: Endpoint, reply: Reply): AnswerBody {
  const earlier = built.get(reply)
  if (earlier?.endpoint === endpoint) return earlier
  const dataJson = JSON.stringify(reply.data)
  const json = successJson(endpoint.message, dataJson, reply)
  const body = { endpoint, json, etag: tagOf(endpoint, reply, json, dataJson) }
  built.set(reply, body)
  return body
}

function tagOf(
  { isCacheable }: Endpoint,
  { version }: Reply,
  json: string,
  dataJson: string,
): string | undefined {
  if (version !== undefined) return strongTag(version, dataJson)
  return isCacheable ? weakTag(json) : undefined
}
