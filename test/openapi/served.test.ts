// GET /openapi.json serves the document without a token, and /docs shows it in a browser.
import { beforeAll, describe, expect, it } from 'vitest'
import { handler } from '../../functions/public.ts'
import manifest from '../../package.json' with { type: 'json' }
import { me } from '../../shared/accounts/contract.ts'
import { AUDIENCE_LIMITS, BUILDS_LIMIT } from '../../shared/http/audience.ts'
import { apiDocument } from '../../shared/openapi/document.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { DOCUMENT } from '../../shared/service/api-functions.ts'
import { adminSite, document, site } from '../../shared/site/contract.ts'
import { browserFile, browserHint, openPage } from '../support/browser.ts'
import { openChain } from '../support/chain.ts'
import { ENDPOINTS } from '../support/endpoints.ts'
import { lambdaContext, proxyEventOf } from '../support/proxy-event.ts'
import { rawRequest } from '../support/raw.ts'
import { until } from '../support/until.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

function getDocument(method = 'GET', headers: Record<string, string> = {}) {
  return rawRequest(world.baseUrl, method, DOCUMENT.path, { headers })
}

describe('GET /openapi.json', () => {
  it('returns the document of this version without an envelope, with its own address as the server', async () => {
    const { status, headers, json } = await getDocument()
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(world.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(json).toEqual(JSON.parse(JSON.stringify(apiDocument(manifest.version, world.baseUrl))))
  })

  it('has the request id of the client, and returns 304 for its ETag', async () => {
    const { headers } = await getDocument('GET', { 'X-Request-Id': 'mine' })
    expect(headers).toMatchObject({
      'cache-control': 'public, no-cache',
      vary: 'Accept-Encoding',
      'x-request-id': 'mine',
    })
    expect(headers.etag).toMatch(/^W\/"[\w-]+"$/)
    const again = await getDocument('GET', { 'If-None-Match': headers.etag ?? '' })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag])
  })

  it('returns no body to HEAD, and compresses for clients that accept it', async () => {
    const [get, head] = [await getDocument(), await getDocument('HEAD')]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    const packed = await getDocument('GET', { 'Accept-Encoding': 'gzip' })
    expect([packed.headers['content-encoding'], packed.headers.etag]).toEqual(['gzip', get.headers.etag])
    expect(Number(packed.headers['content-length'])).toBeLessThan(50_000)
  })

  it('is counted as a public read: per address, or per token of a build', async () => {
    const limitOf = async (headers = {}) =>
      Number((await getDocument('GET', headers)).headers['x-ratelimit-limit'])
    const body = { name: 'A build', abilities: ['builds:read' as const] }
    const { data } = await world.call(me.createToken, { token: world.admin, body })
    const [ofAddress, ofBuild] = [await limitOf(), await limitOf({ Authorization: `Bearer ${data.token}` })]
    expect(ofBuild / ofAddress).toBe(BUILDS_LIMIT.perMinute / AUDIENCE_LIMITS.public.perMinute)
  })

  it('returns 200 while the site is in maintenance', async () => {
    const body = { 'maintenance.enabled': true }
    await world.call(adminSite.changeSettings, { token: world.admin, body })
    const isInMaintenance = () => world.call(site.getPublicSettings).then(({ status }) => status === 503)
    await until('the site to be in maintenance', isInMaintenance)
    expect((await getDocument()).status).toBe(200)
  })
})

describe('the server in the document', () => {
  const chain = use(openChain)
  beforeAll(() => setRuntime(chain.runtime))

  async function serverFor(context: object, headers = {}): Promise<string> {
    const event = proxyEventOf(document.getDocument, { headers })
    Object.assign(event.requestContext, context)
    const { servers } = JSON.parse((await handler(event, lambdaContext())).body)
    expect(servers).toHaveLength(1)
    return servers[0].url
  }

  it('is the host of the request, over HTTPS on AWS', async () => {
    const headers = { Host: 'api.example', 'X-Forwarded-Proto': 'https' }
    expect(await serverFor({}, headers)).toBe('https://api.example')
  })

  it('includes the stage if there is no custom domain', async () => {
    const domainName = 'id.execute-api.us-east-1.amazonaws.com'
    const path = `/live${DOCUMENT.path}`
    expect(await serverFor({ path, domainName })).toBe(`https://${domainName}/live`)
  })
})

async function openDocs() {
  const opened = await openPage()
  await opened.page.goto(`${world.baseUrl}/docs`)
  await opened.page.locator('.opblock-tag').first().waitFor()
  return opened
}

async function showAll() {
  const { page, complaints, origins } = await openDocs()
  const operations = page.locator('.opblock-summary-path')
  // Webhooks are a list without tags.
  expect(await page.locator('.opblock-tag-section .opblock-summary-path').count()).toBe(0)
  await page.locator('.operation-filter-input').waitFor()
  const tags = await page.locator('.opblock-tag').allTextContents()
  for (const tag of ['posts', 'auth', 'me: comments', 'admin: webhooks', 'events']) {
    expect(tags).toContainEqual(expect.stringMatching(`^${tag}`))
  }

  for (const tag of await page.locator('.opblock-tag').all()) await tag.click()
  await operations.nth(ENDPOINTS.length - 1).waitFor()
  const shown = (await operations.allTextContents()).map(text => text.replaceAll('\u200b', ''))
  expect(shown).toEqual(expect.arrayContaining(ENDPOINTS.map(({ endpoint }) => endpoint.path)))

  const health = page.locator('#operations-system-getHealth')
  for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute']) {
    await health.locator(button).click()
  }
  await health.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()

  expect(complaints).toEqual([])
  expect([...origins]).toEqual([world.baseUrl])
}

async function createPost() {
  const { page, complaints } = await openDocs()
  await page.locator('.authorize').first().click()
  await page.locator('.auth-container input').fill(world.admin)
  await page.locator('.auth-btn-wrapper .authorize').click()
  await page.locator('.btn-done').click()
  await page.locator('.opblock-tag', { hasText: 'admin: posts' }).click()

  const operation = page.locator('[id$=adminCreatePost]')
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('.responses-table .response').first().waitFor()
  const statuses = await operation.locator('.response-col_status').allTextContents()
  expect(statuses).toEqual(['Code', '201', '4XX', '5XX'])
  await operation.locator('.try-out__btn').click()
  for (const input of await operation.locator('.parameters input').all()) {
    expect(await input.inputValue(), 'Optional headers are not sent unless filled in.').toBe('')
  }
  await operation.locator('.execute').click()
  await operation.locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor()

  const { data } = await world.call(adminPosts.listPosts, { token: world.admin })
  expect(data).toMatchObject([
    { title: 'First light', status: 'draft', featured_image: {}, posted_at: null, excerpt: 'Hello.' },
  ])
  expect(complaints).toEqual([])
}

describe('GET /docs', () => {
  const withBrowser = it.skipIf(browserFile === undefined)

  withBrowser.each([
    [
      'opens with closed tags and a filter, shows every operation and loads nothing from other hosts',
      showAll,
    ],
    ['creates a draft with the example that "Try it out" of "Create a post or page" shows', createPost],
  ])(`%s${browserHint}`, { timeout: 60_000 }, (_, act) => act())

  it('is a page of HTML without its sources', async () => {
    const page = await rawRequest(world.baseUrl, 'GET', '/docs')
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await rawRequest(world.baseUrl, 'GET', '/docs/docs.ts')).toMatchObject({ status: 404 })
  })
})
