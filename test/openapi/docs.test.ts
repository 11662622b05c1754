// `/docs` in a real browser: what a newcomer sees, and what the browser asks of whom.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ENDPOINTS } from '../world/endpoints.ts'
import { rawRequest } from '../world/raw.ts'
import { openWorld, type World } from '../world/world.ts'

const BROWSERS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
const browserFile = BROWSERS.find(file => file !== undefined && existsSync(file))
const hint = browserFile === undefined ? ' (not tried: install Chromium, or name one in CHROMIUM)' : ''

/** As root, without a screen, and without asking anything of its maker. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

/** A page that notes its complaints and whom it asks. */
const openPage = async () => {
  const browser = await chromium.launch({ executablePath: browserFile ?? '', args: ARGS })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const complaints: string[] = []
  const asked = new Set<string>()
  page.on('console', message => {
    if (message.type() !== 'log') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => asked.add(new URL(request.url()).origin))
  return { page, complaints, asked }
}

describe('/docs', () => {
  it.skipIf(browserFile === undefined)(
    `shows and tries every operation, and asks nobody else${hint}`,
    async () => {
      const { page, complaints, asked } = await openPage()
      await page.goto(`${world.baseUrl}/docs`)
      await page
        .locator('.opblock')
        .nth(ENDPOINTS.length - 1)
        .waitFor()
      const shown = (await page.locator('.opblock-summary-path').allTextContents()).map(text =>
        text.replaceAll('\u200b', ''),
      )
      expect(shown).toEqual(expect.arrayContaining(ENDPOINTS.map(({ endpoint }) => endpoint.path)))
      const tags = await page.locator('.opblock-tag').allTextContents()
      for (const tag of ['posts', 'auth', 'me', 'admin-webhooks'])
        expect(
          tags.some(text => text.startsWith(tag)),
          tag,
        ).toBe(true)

      const health = page.locator('#operations-system-getHealth')
      for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute'])
        await health.locator(button).click()
      await health.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()

      expect(complaints).toEqual([])
      expect([...asked]).toEqual([world.baseUrl])
    },
  )

  it('lets a browser load nothing from elsewhere, and is no answer of the API', async () => {
    const page = await rawRequest(world.baseUrl, 'GET', '/docs')
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['content-security-policy']).toContain("default-src 'self'")
    expect(await rawRequest(world.baseUrl, 'GET', '/docs/../package.json')).toMatchObject({ status: 404 })
    expect(await rawRequest(world.baseUrl, 'GET', '/docs/swagger-ui.js')).toMatchObject({ status: 404 })
  })
})
