// Conditional requests: tags of what is answered, and the preconditions a caller may set.
import { createHash } from 'node:crypto'
import { ApiError } from '../http/errors.ts'

function hashOf(json: string): string {
  return createHash('sha256').update(json).digest('base64url').slice(0, 27)
}

/** Public answers: weak, since the gateway's gzip changes the bytes. */
export function weakTag(json: string): string {
  return `W/"${hashOf(json)}"`
}

/**
 * Admin answers: the version is what `If-Match` compares. Of the record alone, without the words around it, so that
 * a write gives the tag that the next read has.
 */
export function strongTag(version: number, data: unknown): string {
  return `"${version}.${hashOf(JSON.stringify(data))}"`
}

function tagsOf(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? []
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** RFC 9110, 13.1.2: compares weakly, a list or `*`. */
export function isUnmodified(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.trim() === '*' || tagsOf(ifNoneMatch).some(given => opaque(given) === opaque(tag))
}

/** RFC 9110, 13.1.1: compares strongly, a list or `*`; only the version counts. */
export function requireMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  if (tagsOf(ifMatch).some(given => given.startsWith(`"${version}.`))) return
  throw new ApiError('PRECONDITION_FAILED', 'The record has changed since it was read.')
}
