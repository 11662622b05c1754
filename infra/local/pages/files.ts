// Serves static files of the local run. Their headers forbid requests to other machines.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer } from '../gateway/answer.ts'

export type File = { folder: () => string; name: string; type: string }

export const HTML = 'text/html; charset=utf-8'
export const SCRIPT = 'text/javascript; charset=utf-8'
export const TEXT = 'text/plain; charset=utf-8'
export const STYLE = 'text/css; charset=utf-8'

/** Allows only resources of this machine, and no frames around the page. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
]
const HEADERS = {
  'Content-Security-Policy': POLICY.join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
}

/** Returns the file for a path, with or without a slash at the end; undefined for other paths. */
export async function answerFrom(files: Map<string, File>, path: string): Promise<Answer | undefined> {
  const file = files.get(path.endsWith('/') ? path.slice(0, -1) : path)
  if (!file) return undefined
  const body = await readFile(join(file.folder(), file.name))
  return { statusCode: 200, headers: { 'Content-Type': file.type, ...HEADERS }, body }
}
