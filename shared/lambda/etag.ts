// The body of an answer with its ETag, and the preconditions If-Match and If-None-Match.
import { createHash } from 'node:crypto'
import type { Endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { type AnswerBody, type Reply, success } from '../http/reply.ts'

/** Built once, for the response and for the kept answer. The reply must not change afterwards. */
export function answerBodyOf(endpoint: Endpoint, reply: Reply): AnswerBody {
  if (reply.body) return reply.body
  const json = JSON.stringify(success(endpoint.message, reply.data, reply))
  reply.body = { json, etag: tagOf(endpoint, reply, json) }
  return reply.body
}

function tagOf({ isCacheable }: Endpoint, { version, data }: Reply, json: string): string | undefined {
  if (version !== undefined) return strongTag(version, JSON.stringify(data))
  return isCacheable ? weakTag(json) : undefined
}

function hashOf(json: string): string {
  return createHash('sha256').update(json).digest('base64url').slice(0, 27)
}

/** For public answers. Weak, because the gateway's gzip changes the bytes. */
export function weakTag(json: string): string {
  return `W/"${hashOf(json)}"`
}

/**
 * For admin answers. `If-Match` compares the version. The hash covers the JSON of the record without its
 * envelope, so that a write returns the tag of the next read.
 */
export function strongTag(version: number, dataJson: string): string {
  return `"${version}.${hashOf(dataJson)}"`
}

/** The members of the list that are tags: `w/"a"` is none, and must not pass for the strong `"a"`. */
function tagsOf(header: string): string[] {
  const members = header.matchAll(/(?:^|,)[ \t]*((?:W\/)?"[^"]*")[ \t]*(?=,|$)/g)
  return [...members].map(([, tag = '']) => tag)
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** RFC 9110, 13.1.2: weak comparison with a list or `*`. */
export function isUnmodified(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return (
    ifNoneMatch.trim() === '*' || tagsOf(ifNoneMatch).some(candidate => opaque(candidate) === opaque(tag))
  )
}

/** RFC 9110, 13.1.1: strong comparison with a list or `*`. Only the version counts. */
export function requireMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  if (tagsOf(ifMatch).some(candidate => candidate.startsWith(`"${version}.`))) return
  throw new ApiError('PRECONDITION_FAILED', 'The record has changed since it was read.')
}
