// Sends all posts once more, in batches over HTTPS at the normal limits, and counts requests and refusals.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request as send } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { adminPosts } from '../../shared/posts/contract.ts'
import { selfSigned } from '../fixtures/self-signed.ts'
import { FOLDER, startScript } from './run-package.ts'
import type { Stage } from './stage.ts'

/** For 1,049 posts: 42, and three for batches that had to be sent again. */
const MOST_REQUESTS = 45
const SLUG = 'batched-'

/** The service as behind a domain, with a certificate for `localhost`. */
async function openHttps(target: string) {
  const { hostname, port } = new URL(target)
  const server = createServer(selfSigned, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const forwarded = send({ hostname, port, method, path, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', error => outgoing.destroy(error))
    incoming.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://localhost:${Object(server.address()).port}`
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, stop }
}

async function totalOf({ call, admin }: Stage): Promise<number> {
  return (await call(adminPosts.listPosts, { token: admin })).pagination.total
}

/** Returns what is wrong. */
export async function pushPosts(stage: Stage, folder: string): Promise<string[]> {
  const { recorder, posts, service } = stage
  const before = await totalOf(stage)
  const [file, certificate] = [join(folder, 'push.jsonl'), join(folder, 'ca.pem')]
  const lines = [...posts.values()].map(({ slug, ...post }) =>
    JSON.stringify({ ...post, slug: `${SLUG}${slug}`, is_published: true }),
  )
  await writeFile(file, `${lines.join('\n')}\n`)
  await writeFile(certificate, selfSigned.cert)
  const https = await openHttps(recorder.url)
  const variables = { API: https.url, TOKEN: service.token('batches'), NODE_EXTRA_CA_CERTS: certificate }
  recorder.take()
  const start = performance.now()
  const [status] = await once(startScript(join(FOLDER, 'push.mjs'), [file], FOLDER, variables), 'exit')
  const seconds = Math.round((performance.now() - start) / 1000)
  https.stop()
  const requests = recorder.take()
  const refused = requests.filter(({ status }) => status === 429).length
  const added = (await totalOf(stage)) - before
  console.log(`Batches: ${lines.length} posts with ${requests.length} requests in ${seconds} s`)
  return [
    ...(status === 0 ? [] : [`push.mjs ended with status ${status}`]),
    ...(added === lines.length ? [] : [`${added} of ${lines.length} posts were added`]),
    ...(refused === 0 ? [] : [`${refused} requests were answered with 429`]),
    ...(requests.length > MOST_REQUESTS ? [`more than ${MOST_REQUESTS} requests`] : []),
  ]
}
