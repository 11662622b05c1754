// Serves a built Next.js site, subscribes it, edits a post, and waits for the edit on its page.
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../infra/local/addresses.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { until } from '../support/until.ts'
import { faultsOfPage } from './pages.ts'
import { FOLDER, startPackage, type Variables } from './run-package.ts'
import type { Stage } from './stage.ts'

/** Deliveries are sent within seconds, and the page is made again at the request after one. */
const WITHIN_MS = 30_000

/** Returns what is wrong. The site has been built in its folder. */
export async function editLive(example: string, { service, call, admin, edit }: Stage): Promise<string[]> {
  const port = await freePort()
  const site = `http://127.0.0.1:${port}`
  const url = `${site}/api/webhook`
  const events = ['post.published', 'post.updated', 'post.unpublished', 'post.deleted']
  const subscription = { name: 'The site', url, events }
  const { data } = await call(adminWebhooks.createWebhook, { token: admin, body: subscription })
  const variables: Variables = { API: service.baseUrl, WEBHOOK_SECRET: data.secret }
  const args = ['start', '--hostname', '127.0.0.1', '--port', String(port)]
  const server = startPackage('next/dist/bin/next', args, join(FOLDER, example), variables)
  const ended = once(server, 'exit')
  const statusOf = (path: string, init?: RequestInit) =>
    fetch(site + path, init).then(
      ({ status }) => status,
      () => undefined,
    )
  try {
    await until('the site to answer', async () => (await statusOf('/')) !== undefined, WITHIN_MS)
    const forged = await statusOf('/api/webhook', { method: 'POST', body: '{}' })
    const post = await edit()
    let faults: string[] = []
    const isShown = async () => {
      faults = faultsOfPage(await (await fetch(`${site}/${post.slug}`)).text(), post)
      return faults.length === 0
    }
    await until('the edit to be on its page', isShown, WITHIN_MS).catch(error => faults.push(String(error)))
    return [...(forged === 401 ? [] : [`a forged webhook was answered with ${forged}`]), ...faults]
  } finally {
    server.kill()
    await ended
    await call(adminWebhooks.deleteWebhook, { token: admin, params: { id: data.id } })
  }
}
