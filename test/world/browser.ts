// A real browser without a screen, for the pages of the local service.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'

const CANDIDATES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
/** Undefined where none is installed. */
export const browserFile = CANDIDATES.find(file => file !== undefined && existsSync(file))

/** For the titles of tests that are skipped without one. */
export const browserHint =
  browserFile === undefined ? ' (not tried: install Chromium, or name one in CHROMIUM)' : ''

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

const COMPLAINTS = new Set(['warning', 'error', 'assert'])

/** A page that notes its complaints and whom it asks. */
export async function openPage() {
  const browser = await chromium.launch({ executablePath: browserFile ?? '', args: ARGS })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const complaints: string[] = []
  const asked = new Set<string>()
  page.on('console', message => {
    if (COMPLAINTS.has(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => asked.add(new URL(request.url()).origin))
  return { page, complaints, asked }
}
