// Serves previews beside the built site, each with the site's own template: PORT=8081 node preview.mjs
// The setting site.preview_url names it: https://preview.your-site/?token={token}
import { createServer } from 'node:http'
import { Eleventy } from '@11ty/eleventy'
import { draftOf } from '../draft.mjs'

/** The template with one post in place of the copy of all. */
async function pageOf(draft) {
  const config = configuration => {
    configuration.setDataDirectory('no-data')
    configuration.addGlobalData('posts', [draft])
  }
  const eleventy = new Eleventy('post.njk', '_site', { quietMode: true, config })
  const [{ content }] = await eleventy.toJSON()
  return content
}

async function answer(request, response) {
  const { searchParams } = new URL(request.url, 'http://localhost')
  const draft = await draftOf(searchParams.get('token'))
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }
  if (draft) return response.writeHead(200, headers).end(await pageOf(draft))
  response.writeHead(404, headers).end('This preview is over.')
}

const { PORT = '8081', HOST = '127.0.0.1' } = process.env
createServer((request, response) => {
  answer(request, response).catch(() => response.writeHead(500).end())
}).listen(Number(PORT), HOST)
