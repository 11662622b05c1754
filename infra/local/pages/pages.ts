// The pages of the local run, which a deployed service does not have: the home page, the OpenAPI document in
// Swagger UI, and pages for links in mails. Their headers keep them from loading from other machines.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { Answer } from '../http/answer.ts'

export const DOCS_PATH = '/docs'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
}

/** The file of each path. Those of a package are only looked up when they are requested. */
const FILES = new Map<string, () => string>([
  ['', own('home/index.html')],
  ['/home/address.js', own('home/address.js')],
  ['/readme', own('../../../README.md')],
  [DOCS_PATH, own('docs/index.html')],
  [`${DOCS_PATH}/start.js`, own('docs/start.js')],
  ...['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'].map(swaggerUi),
  ...['/verify-email', '/reset-password', '/newsletter/confirm', '/newsletter/unsubscribe'].map(
    (path): [string, () => string] => [path, own('links/index.html')],
  ),
  ['/links/start.js', own('links/start.js')],
])

export const PAGE_PATHS = [...FILES.keys()]

function own(name: string): () => string {
  return () => join(import.meta.dirname, name)
}

function swaggerUi(name: string): [string, () => string] {
  const folder = () => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return [`${DOCS_PATH}/${name}`, () => join(folder(), name)]
}

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

/** Undefined for paths without a page. A slash at the end is ignored. */
export async function pageAnswer(path: string): Promise<Answer | undefined> {
  const file = FILES.get(path.endsWith('/') ? path.slice(0, -1) : path)?.()
  if (file === undefined) return undefined
  const headers = { 'Content-Type': TYPES[extname(file)] ?? '', ...HEADERS }
  return { statusCode: 200, headers, body: await readFile(file) }
}
