// The pages for links in mails, which work in the local run until the site has pages of its own.
import { type File, HTML, SCRIPT } from '../files.ts'

function here() {
  return import.meta.dirname
}

const PATHS = ['/verify-email', '/reset-password', '/newsletter/confirm', '/newsletter/unsubscribe']

export const LINKS = new Map<string, File>([
  ...PATHS.map((path): [string, File] => [path, { folder: here, name: 'index.html', type: HTML }]),
  ['/links/start.js', { folder: here, name: 'start.js', type: SCRIPT }],
])
