// The pages that the links in mails lead to while the site has none of its own, so that they can be followed here.
import { type File, HTML, SCRIPT } from '../files.ts'

function here() {
  return import.meta.dirname
}

const PATHS = ['/verify-email', '/reset-password', '/newsletter/confirm', '/newsletter/unsubscribe']

export const links = new Map<string, File>([
  ...PATHS.map((path): [string, File] => [path, { folder: here, name: 'index.html', type: HTML }]),
  ['/links/start.js', { folder: here, name: 'start.js', type: SCRIPT }],
])
