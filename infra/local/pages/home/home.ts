// `/`: a page with the address of the API and links to its documentation.
import { join } from 'node:path'
import { HTML, SCRIPT, type StaticFile, TEXT } from '../files.ts'

function here() {
  return import.meta.dirname
}

function project() {
  return join(import.meta.dirname, '../../../..')
}

export const HOME = new Map<string, StaticFile>([
  ['', { folder: here, name: 'index.html', type: HTML }],
  ['/home/address.js', { folder: here, name: 'address.js', type: SCRIPT }],
  ['/readme', { folder: project, name: 'README.md', type: TEXT }],
])
