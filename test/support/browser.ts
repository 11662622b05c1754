// Opens a headless browser for the pages of the local service.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'

const CANDIDATES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
/** Undefined if no browser is installed. */
export const browserFile = CANDIDATES.find(file => file !== undefined && existsSync(file))

/** Part of the names of tests that are skipped without a browser. */
export const browserHint =
  browserFile === undefined ? ' (skipped: install Chromium, or set CHROMIUM to its path)' : ''

/** Lets the browser run as root, and without requests to its vendor. */
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

/** Opens a page that records its errors and the origins of its requests. */
export async function openPage() {
  const browser = await chromium.launch({ executablePath: browserFile ?? '', args: ARGS })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const complaints: string[] = []
  const origins = new Set<string>()
  page.on('console', message => {
    if (COMPLAINTS.has(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => origins.add(new URL(request.url()).origin))
  return { page, complaints, origins }
}
