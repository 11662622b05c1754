// Reads an HTTP request into the event that API Gateway sends to a function: the proxy event of a REST API.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Route } from './routes.ts'

/** API Gateway's limit for a request body. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024
/** A body that is too large is read up to this size and discarded, so that its sender receives the 413. */
const DRAIN_LIMIT_BYTES = 100 * 1024 * 1024

/** Path and query of the request line, without the scheme and host of an absolute form (RFC 9112, 3.2.2). */
export function targetOf({ url = '/' }: IncomingMessage): { path: string; query: string } {
  const relative = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const target = relative === url || relative.startsWith('/') ? relative : `/${relative}`
  const queryAt = target.indexOf('?')
  return queryAt < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, queryAt), query: target.slice(queryAt + 1) }
}

/** Returns the body; undefined if it exceeds the limit. Throws if the client disconnects. */
export async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes <= BODY_LIMIT_BYTES) {
      chunks.push(chunk)
    } else if (bytes > DRAIN_LIMIT_BYTES) {
      break
    }
  }
  return bytes <= BODY_LIMIT_BYTES ? Buffer.concat(chunks) : undefined
}

/** What functions read of the event, with the body in base64, as all media types of the API are binary. */
export function proxyEvent(message: IncomingMessage, { resource, pathParameters }: Route, body: Buffer) {
  const { path, query } = targetOf(message)
  return {
    resource,
    path,
    httpMethod: message.method ?? 'GET',
    multiValueHeaders: { ...message.headersDistinct, 'x-forwarded-proto': ['http'] },
    multiValueQueryStringParameters: valuesIn(query),
    pathParameters,
    // The paths have no stage, so path and domain are as behind a custom domain.
    requestContext: {
      domainName: message.headers.host ?? '',
      identity: { sourceIp: addressOf(message) },
      path,
      requestId: randomUUID(),
    },
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: body.length > 0,
  }
}

/** The address of the TCP peer, which a client cannot forge. */
function addressOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
}

function valuesIn(query: string): Record<string, string[]> {
  const byName = Map.groupBy(new URLSearchParams(query), ([name]) => name)
  return Object.fromEntries([...byName].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]))
}
