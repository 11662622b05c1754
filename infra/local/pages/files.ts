// Serves the static files of the local run, with headers that keep pages from loading from other machines.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer } from '../http/answer.ts'

/** `folder` is a function, so that a package is only looked up when its file is requested. */
export type StaticFile = { folder: () => string; name: string; type: string }

export const HTML = 'text/html; charset=utf-8'
export const SCRIPT = 'text/javascript; charset=utf-8'
export const TEXT = 'text/plain; charset=utf-8'
export const STYLE = 'text/css; charset=utf-8'

/** A page loads only from its own origin, and no other page may frame it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
]
const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY.join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
}

/** Returns undefined if there is no file for the path. A slash at its end is ignored. */
export async function answerWithFile(
  files: Map<string, StaticFile>,
  path: string,
): Promise<Answer | undefined> {
  const file = files.get(path.endsWith('/') ? path.slice(0, -1) : path)
  if (!file) return undefined
  const body = await readFile(join(file.folder(), file.name))
  return { statusCode: 200, headers: { 'Content-Type': file.type, ...HEADERS }, body }
}
