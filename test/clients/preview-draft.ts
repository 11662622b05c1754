// Serves a built site, creates a draft, and opens it by its preview address: it is shown, and a 404 without
// the token, with a forged one, and once the tokens are void.
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../infra/local/addresses.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { until } from '../support/until.ts'
import { faultsOfPage } from './pages.ts'
import { FOLDER, startScript } from './run-package.ts'
import type { Stage } from './stage.ts'

/** How an example serves previews. */
export type PreviewRecipe = {
  /** Serves it on the variable PORT; from the example's folder, with its arguments. */
  script: string
  args?: string[]
  /** The path with the token that `site.preview_url` ends with. */
  path: string
}

const WITHIN_MS = 30_000

/** Follows redirections with the cookies that they set, as a browser does. */
async function open(url: string, cookies = new Map<string, string>()) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
  const location = response.headers.get('location')
  if (location !== null) return await open(new URL(location, url).href, cookies)
  return { status: response.status, html: await response.text(), url, cookies }
}

/** Returns what is wrong. The site has been built in its folder. */
export async function previewDraft(folder: string, recipe: PreviewRecipe, stage: Stage): Promise<string[]> {
  const { call, admin: token, service } = stage
  const port = await freePort()
  const site = `http://127.0.0.1:${port}`
  const variables = { API: service.baseUrl, HOST: '127.0.0.1', PORT: String(port) }
  const server = startScript(recipe.script, recipe.args ?? [], join(FOLDER, folder), variables)
  const ended = once(server, 'exit')
  const settings = { 'site.preview_url': `${site}${recipe.path}` }
  await call(adminSite.changeSettings, { token, body: settings })
  const draft = { title: `A draft for ${folder}`, slug: `draft-${folder}`, body: '<p>Not yet &amp; here</p>' }
  const { data: post } = await call(adminPosts.createPost, { token, body: draft })
  const params = { id: post.id }
  try {
    await until('the site to answer', () => fetch(site).then(Boolean, () => false), WITHIN_MS)
    const { data } = await call(adminPosts.createPreview, { token, params })
    const address = data.url ?? ''
    const shown = await open(address)
    const without = {
      'without a token': address.replace(data.token, ''),
      'with a forged token': address.replace(data.token, 'A'.repeat(64)),
      'at its address for everyone': `${site}/${draft.slug}`,
    }
    const faults = faultsOfPage(shown.html, { ...draft, posted_at: '' })
    for (const [what, url] of Object.entries(without)) {
      const { status } = await open(url)
      if (status !== 404) faults.push(`${folder} answers ${status} to a draft ${what}`)
    }
    await call(adminPosts.deletePreviews, { token, params })
    const late = await open(shown.url, shown.cookies)
    if (late.status !== 404) faults.push(`${folder} answers ${late.status} to a void token`)
    return faults
  } finally {
    server.kill()
    await ended
    await call(adminPosts.deletePost, { token, params })
  }
}
