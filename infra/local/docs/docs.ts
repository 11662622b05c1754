// `/docs`: the API's document as a page to read and to try, on this machine only and asking no other.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Answer } from '../gateway/answer.ts'

export const DOCS_PATH = '/docs'

const swaggerUi = () => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const here = () => import.meta.dirname

type File = { folder: () => string; name: string; type: string }

const files = new Map<string, File>([
  [DOCS_PATH, { folder: here, name: 'index.html', type: 'text/html; charset=utf-8' }],
  ...[
    { folder: here, name: 'start.js', type: 'text/javascript; charset=utf-8' },
    { folder: swaggerUi, name: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
    { folder: swaggerUi, name: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
    { folder: swaggerUi, name: 'favicon-32x32.png', type: 'image/png' },
  ].map(file => [`${DOCS_PATH}/${file.name}`, file] as const),
])

/** Whatever the page holds, a browser loads and asks nothing from elsewhere. */
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"

/** The page and what belongs to it; undefined for every other path. */
export async function docsAnswer(path: string): Promise<Answer | undefined> {
  const file = files.get(path.endsWith('/') ? path.slice(0, -1) : path)
  if (!file) return undefined
  return {
    statusCode: 200,
    headers: {
      'Content-Type': file.type,
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-cache',
    },
    body: await readFile(join(file.folder(), file.name)),
  }
}
