// `/docs`: the OpenAPI document in Swagger UI, to read and to try.
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { HTML, SCRIPT, STYLE, type StaticFile } from '../files.ts'

export const DOCS_PATH = '/docs'

function swaggerUi() {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}

function here() {
  return import.meta.dirname
}

export const DOCS = new Map<string, StaticFile>([
  [DOCS_PATH, { folder: here, name: 'index.html', type: HTML }],
  ...[
    { folder: here, name: 'start.js', type: SCRIPT },
    { folder: swaggerUi, name: 'swagger-ui-bundle.js', type: SCRIPT },
    { folder: swaggerUi, name: 'swagger-ui.css', type: STYLE },
    { folder: swaggerUi, name: 'favicon-32x32.png', type: 'image/png' },
  ].map(file => [`${DOCS_PATH}/${file.name}`, file] as const),
])
