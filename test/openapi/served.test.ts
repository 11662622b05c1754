// GET /openapi.json: the document, bare and for everybody, at any time; and `/docs`, where a browser shows it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handler } from '../../functions/openapi.ts'
import manifest from '../../package.json' with { type: 'json' }
import { endpoint } from '../../shared/http/endpoint.ts'
import { DOCUMENT } from '../../shared/service/api.ts'
import { apiDocument } from '../../shared/service/document.ts'
import { adminSite, site } from '../../shared/site/contract.ts'
import { browserFile, browserHint, openPage } from '../world/browser.ts'
import { ENDPOINTS } from '../world/endpoints.ts'
import { proxyEventOf } from '../world/proxy-event.ts'
import { rawRequest } from '../world/raw.ts'
import { until } from '../world/until.ts'
import { openWorld, type World } from '../world/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

function ask(method = 'GET', headers: Record<string, string> = {}) {
  return rawRequest(world.baseUrl, method, DOCUMENT.path, { headers })
}

describe('GET /openapi.json', () => {
  it('is the document of this version, bare, with paths from the root of the host', async () => {
    const { status, headers, json } = await ask()
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(json).toEqual(JSON.parse(JSON.stringify(apiDocument(manifest.version))))
  })

  it('may be read by any site and be kept by whoever asks again', async () => {
    const { headers } = await ask('GET', { 'X-Request-Id': 'mine' })
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'public, no-cache',
      vary: 'Accept-Encoding',
      'x-request-id': 'mine',
    })
    expect(headers['access-control-expose-headers']).toContain('ETag')
    expect(headers.etag).toMatch(/^W\/"[\w-]+"$/)
    const again = await ask('GET', { 'If-None-Match': headers.etag ?? '' })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag])
  })

  it('is answered to HEAD without the body, and packed for who takes it', async () => {
    const [get, head] = [await ask(), await ask('HEAD')]
    expect([head.status, head.headers['content-length'], head.text]).toEqual([
      200,
      get.headers['content-length'],
      '',
    ])
    const packed = await ask('GET', { 'Accept-Encoding': 'gzip' })
    expect([packed.headers['content-encoding'], packed.headers.etag]).toEqual(['gzip', get.headers.etag])
    expect(Number(packed.headers['content-length'])).toBeLessThan(50_000)
  })

  it('is not limited, and open while the site is in maintenance', async () => {
    const body = { 'maintenance.enabled': true }
    await world.call(adminSite.changeSettings, { token: world.admin, body })
    const closed = () => world.call(site.getPublicSettings).then(({ status }) => status === 503)
    await until('the maintenance', closed)
    const { status, headers } = await ask()
    expect([status, Object.keys(headers).filter(name => name.startsWith('x-ratelimit'))]).toEqual([200, []])
  })
})

describe('below the name of a stage', () => {
  it('says that paths begin there', async () => {
    const { data } = site.getPublicSettings
    const event = proxyEventOf(
      endpoint({ method: 'GET', path: DOCUMENT.path, summary: '', message: '', data }),
    )
    event.requestContext.path = `/live${DOCUMENT.path}`
    expect(JSON.parse((await handler(event)).body).servers).toEqual([{ url: '/live' }])
  })
})

async function browse() {
  const { page, complaints, asked } = await openPage()
  await page.goto(`${world.baseUrl}/docs`)
  const operations = page.locator('.opblock-summary-path')
  await operations.nth(ENDPOINTS.length - 1).waitFor()
  const shown = (await operations.allTextContents()).map(text => text.replaceAll('\u200b', ''))
  expect(shown).toEqual(expect.arrayContaining(ENDPOINTS.map(({ endpoint }) => endpoint.path)))
  const tags = await page.locator('.opblock-tag').allTextContents()
  for (const tag of ['posts', 'auth', 'me: comments', 'admin: webhooks', 'events']) {
    expect(tags).toContainEqual(expect.stringMatching(`^${tag}`))
  }

  const health = page.locator('#operations-system-getHealth')
  for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute']) {
    await health.locator(button).click()
  }
  await health.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()

  expect(complaints).toEqual([])
  expect([...asked]).toEqual([world.baseUrl])
}

describe('/docs', () => {
  it.skipIf(browserFile === undefined)(
    `shows every operation and asks nobody else${browserHint}`,
    browse,
    60_000,
  )

  it('lets a browser load nothing from elsewhere, and is no answer of the API', async () => {
    const page = await rawRequest(world.baseUrl, 'GET', '/docs')
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['content-security-policy']).toContain("default-src 'self'")
    expect(await rawRequest(world.baseUrl, 'GET', '/docs/docs.ts')).toMatchObject({ status: 404 })
  })
})
