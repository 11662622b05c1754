// The pages for links in mails, which work in the local run until the site has pages of its own.
import { HTML, SCRIPT, type StaticFile } from '../files.ts'

function here() {
  return import.meta.dirname
}

const PATHS = ['/verify-email', '/reset-password', '/newsletter/confirm', '/newsletter/unsubscribe']

export const LINKS = new Map<string, StaticFile>([
  ...PATHS.map((path): [string, StaticFile] => [path, { folder: here, name: 'index.html', type: HTML }]),
  ['/links/start.js', { folder: here, name: 'start.js', type: SCRIPT }],
])
