// The rules of a batch: which request an operation is, and what of its results fits in one answer. No I/O.
import { createHash } from 'node:crypto'
import type { Endpoint } from '../http/endpoint.ts'
import { failure } from '../http/reply.ts'
import type { Operation, Result } from './contract.ts'

/** The endpoints that can be operations: all writes of a record with a version. */
export function isOperation({ isVersioned, method }: Endpoint): boolean {
  return isVersioned && method !== 'GET'
}

export const NO_OPERATION =
  'Must be a path that, with this method, writes a post, a page or a category: /api/v1/admin/posts/1/publish.'

/** The endpoint of an operation with its parameters, as API Gateway names them. It ignores a last slash. */
export function targetOf({ method, path: given }: Operation, endpoints: Endpoint[]) {
  const path = given.startsWith('/api/v1/') ? given : `/api/v1${given}`
  for (const { method: own, path: resource } of endpoints) {
    const pattern = new RegExp(`^${resource.replace(/\{(\w+)\}/g, '(?<$1>[^/?#]+)')}/?$`)
    const found = own === method ? pattern.exec(path) : null
    if (found) return { httpMethod: method, resource, path, pathParameters: { ...found.groups } }
  }
  return undefined
}

/** The idempotency key of the operation at this position. */
export function keyOf(key: string, n: number): string {
  return `${createHash('sha256').update(key).digest('base64url')}.${n}`
}

/** The time is over, or an earlier request with the same key may still be doing the operation before. */
export const NOT_STARTED: Result = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: failure('UNAVAILABLE', 'This operation was not started. Send the batch again.'),
}

/** Operations are done in order, so none starts after one that has not ended. */
export function isUnfinished(result: Result | undefined): boolean {
  return result === NOT_STARTED || (result?.status === 409 && result.headers?.['retry-after'] !== undefined)
}

/** For what the answer has besides its results. */
const BYTES_OF_FRAME = 10_000

/** The writes are done, so answers that are too large together leave out the bodies of posts. */
export function fitting(results: Result[], mostBytes: number): Result[] {
  // The answer is a text in the response of the function, in which each quote is escaped again.
  const bytes = Buffer.byteLength(JSON.stringify(JSON.stringify(results)))
  return bytes + BYTES_OF_FRAME > mostBytes ? results.map(withoutBody) : results
}

/** The result itself if it shows no post. */
function withoutBody(result: Result): Result {
  const { body, ...data } = Object(result.body.data)
  return body === undefined ? result : { ...result, body: { ...result.body, data } }
}
