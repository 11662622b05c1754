// The links in mails lead to pages of the local run, which send the tokens to the API.
import { describe, expect, it } from 'vitest'
import { auth } from '../../shared/accounts/contract.ts'
import { newsletter } from '../../shared/newsletter/contract.ts'
import { browserFile, browserHint, openPage } from '../support/browser.ts'
import { rawRequest } from '../support/raw.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** One link of each kind, from the mails of registration, password reset and newsletter. */
async function mailedLinks() {
  const email = 'ada@example.com'
  await world.call(auth.register, { body: { name: 'Ada', email, password: 'the first of two' } })
  await world.mailTo(email, 1)
  await world.call(auth.forgotPassword, { body: { email } })
  const reader = 'reader@example.com'
  await world.call(newsletter.subscribe, { body: { email: reader } })
  const mails = await Promise.all([world.mailTo(email, 1), world.mailTo(email, 2), world.mailTo(reader, 1)])
  return mails.flatMap(({ links }) => links.map(({ url }) => url))
}

const PASSWORD = 'the second of two'
async function follow() {
  const { page, complaints, origins } = await openPage()
  const messages = []
  for (const url of await mailedLinks()) {
    await page.goto(url)
    if (await page.locator('input').isVisible()) await page.locator('input').fill(PASSWORD)
    await page.locator('button').click()
    const status = page.locator('[role=status]:not(:empty)')
    await status.waitFor()
    messages.push(await status.textContent())
  }
  expect(messages).toEqual([
    auth.verifyEmail.message,
    auth.resetPassword.message,
    newsletter.confirm.message,
    newsletter.unsubscribe.message,
  ])
  const body = { email: 'ada@example.com', password: PASSWORD }
  const { user } = (await world.call(auth.login, { body })).data
  expect(user.email_verified).toBe(true)
  expect([complaints, [...origins]]).toEqual([[], [world.baseUrl]])
}

describe('the links in mails', () => {
  it.skipIf(browserFile === undefined)(
    `links in mails take effect when the reader presses the button${browserHint}`,
    follow,
  )

  it('links in mails have no effect when they are only opened', async () => {
    const { status, headers } = await rawRequest(world.baseUrl, 'GET', '/verify-email?token=1.2.3')
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['referrer-policy']).toBe('no-referrer')
  })
})
