// Mails of committed changes: sent by the deployed function, with links that work.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { isValidResetToken, isValidVerifyToken } from '../../shared/accounts/links.ts'
import { openSender } from '../../shared/events/sender.ts'
import { openSqs, type QueueClient } from '../../shared/events/sqs.ts'
import { startUnitOfWork } from '../../shared/events/unit-of-work.ts'
import { parseLinkToken } from '../../shared/mail/link-token.ts'
import { orderMail } from '../../shared/mail/mail.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
let sqs: QueueClient
beforeAll(async () => {
  sqs = openSqs(clientSettings(world.sqsEndpoint))
})
afterAll(async () => {
  sqs.destroy()
})

function key() {
  return Object.entries(world.secrets.values).find(([id]) => id.startsWith('PrivateKey'))?.[1] ?? ''
}

function nowSeconds() {
  return Math.floor(Date.now() / 1000)
}

/** Commits a mail message and sends it, as a request does. */
async function order(mail: Parameters<typeof orderMail>[0]) {
  const nowMs = Date.now()
  const work = startUnitOfWork({
    table: world.table,
    sender: openSender(sqs, () => world.queueUrl('MailQueue'), Date.now),
    nowMs,
    requestId: 'test',
    siteUrl: async () => world.baseUrl,
    log: String,
  })
  await work.commit({ actions: [], messages: [orderMail(mail, nowMs)] })
}

function register(email: string) {
  return createUser(
    world.table,
    { name: 'Ada', email, email_verified: false, password_hash: null },
    nowSeconds(),
  )
}

describe('a mail of a committed change', () => {
  it('contains a link that confirms the address', async () => {
    const user = await register('Ada@example.com')
    await order({ kind: 'verify-email', user_id: user.id })
    const { from, subject, links, token, html } = await world.mailTo('Ada@example.com')
    expect({ from, subject }).toEqual({
      from: 'content@localhost',
      subject: `Confirm your address for ${new URL(world.baseUrl).host}`,
    })
    expect(links).toEqual([
      { url: `${world.baseUrl}/verify-email?token=${token}`, path: '/verify-email', token },
    ])
    expect(html).toContain(`href="${links[0]?.url}"`)
    const parsed = parseLinkToken(token)
    expect(parsed && isValidVerifyToken(key(), parsed, user, nowSeconds())).toBe(true)
  })

  it('contains a link that sets a new password, for the address in any case', async () => {
    const user = await register('Bob@example.com')
    await order({ kind: 'reset-password', email: 'BOB@example.com' })
    const { links, token } = await world.mailTo('Bob@example.com')
    expect(links.map(({ path }) => path)).toEqual(['/reset-password'])
    const parsed = parseLinkToken(token)
    expect(parsed && isValidResetToken(key(), parsed, user, nowSeconds())).toBe(true)
  })
})
