// A mail is sent at most once, whatever is repeated, dies or breaks. One that SES did not accept is retried.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { claimMail } from '../../shared/mail/claim.ts'
import { openTransport } from '../../shared/mail/transport.ts'
import { KEY, type Office, openOffice } from './mail-world.ts'

let office: Office
beforeAll(async () => {
  office = await openOffice()
})
afterAll(() => office.stop())

/** Somebody who registered, and the message of their mail. */
async function registered() {
  const user = await office.user()
  return { ...user, message: office.order({ kind: 'verify-email', user_id: user.id }) }
}

/** By now whoever claimed a mail has ended it, or died. */
function passLease() {
  office.clock.nowMs += 60_000
}

describe('a repeated message', () => {
  it('sends one mail', async () => {
    const { email, message } = await registered()
    expect(await office.receive(message)).toBe(true)
    expect(await office.receive(message)).toBe(true)
    expect(office.mailsTo(email)).toHaveLength(1)
    expect(await office.statusOf(message)).toBe('sent')
  })

  it('sends one mail when both are processed at once', async () => {
    const { email, message } = await registered()
    const all = await Promise.all(Array.from({ length: 5 }, () => office.receive(message)))
    expect(all).toContain(true)
    // The second one found the mail claimed, and is repeated.
    expect(await office.receive(message)).toBe(true)
    expect(office.mailsTo(email)).toHaveLength(1)
  })
})

describe('a worker that dies', () => {
  it('sends nothing more when it died after the claim', async () => {
    const { email, message } = await registered()
    const claiming = { table: office.table, key: KEY, nowMs: office.clock.nowMs, scale: 1 }
    expect(await claimMail(claiming, message, email)).toBe('claimed')
    expect(await office.receive(message)).toBe(false)
    expect(await office.statusOf(message)).toBe('sending')
    passLease()
    expect(await office.receive(message)).toBe(true)
    expect(office.mailsTo(email)).toEqual([])
    expect(await office.statusOf(message)).toBe('unknown')
  })

  it('logs the id of an interrupted mail, but no address', async () => {
    const { email, id, message } = await registered()
    const claiming = { table: office.table, key: KEY, nowMs: office.clock.nowMs, scale: 1 }
    await claimMail(claiming, message, email)
    // By now there would be nothing to send, since the link of the mail was opened.
    await changeUser(office.table, id, user => ({ ...user, email_verified: true }))
    passLease()
    expect(await office.receive(message)).toBe(true)
    expect(JSON.parse(office.logged.at(-1) ?? '')).toEqual({
      level: 'warn',
      message: 'mail',
      mail_id: message.id,
      kind: 'verify-email',
      status: 'unknown',
      reason: 'interrupted',
    })
    expect(await office.receive(message)).toBe(true)
    expect(JSON.parse(office.logged.at(-1) ?? '')).toMatchObject({ level: 'info', status: 'dropped' })
  })

  it('does not send again when it died after sending', async () => {
    const { email, message } = await registered()
    // The claim succeeds, the final write fails.
    office.fail({
      operation: 'TransactWriteItems',
      mentions: message.id,
      at: 'before',
      error: 'SomeException',
      skips: 1,
      times: 1,
    })
    expect(await office.receive(message)).toBe(false)
    passLease()
    expect(await office.receive(message)).toBe(true)
    expect(office.mailsTo(email)).toHaveLength(1)
  })

  it('leaves the mail to the next worker when it died before the claim', async () => {
    const { email, message } = await registered()
    office.fail({
      operation: 'TransactWriteItems',
      mentions: message.id,
      at: 'before',
      error: 'SomeException',
      times: 1,
    })
    expect(await office.receive(message)).toBe(false)
    expect(await office.receive(message)).toBe(true)
    expect(office.mailsTo(email)).toHaveLength(1)
  })
})

describe('a mail that SES did not accept', () => {
  it.each([
    [429, 'TooManyRequestsException'],
    [400, 'LimitExceededException'],
    [400, 'ThrottlingException'],
    [400, 'SendingPausedException'],
    [400, 'MailFromDomainNotVerifiedException'],
    [403, 'AccessDeniedException'],
  ])('is sent once by a repeated message after %i %s', async (status, type) => {
    const { email, message } = await registered()
    office.willAnswer({ status, type }, { status, type })
    expect(await office.receive(message)).toBe(false)
    expect(await office.receive(message)).toBe(false)
    expect(await office.receive(message)).toBe(true)
    expect(await office.receive(message)).toBe(true)
    expect(office.mailsTo(email)).toHaveLength(1)
    expect(await office.statusOf(message)).toBe('sent')
  })

  it('is sent by a repeated message when SES was not reachable', async () => {
    const { email, message } = await registered()
    expect(await office.receiveAt('http://127.0.0.1:9', message)).toBe(false)
    expect(await office.receive(message)).toBe(true)
    expect(office.mailsTo(email)).toHaveLength(1)
  })

  it('is sent once by two concurrent retries', async () => {
    const { email, message } = await registered()
    office.willAnswer({ status: 429, type: 'TooManyRequestsException' })
    expect(await office.receive(message)).toBe(false)
    await Promise.all([1, 2, 3].map(() => office.receive(message)))
    expect(await office.receive(message)).toBe(true)
    expect(office.mailsTo(email)).toHaveLength(1)
  })
})

describe('a final answer of SES', () => {
  it.each(['MessageRejected', 'BadRequestException'])('is not retried after %s', async type => {
    const { email, message } = await registered()
    office.willAnswer({ status: 400, type })
    expect(await office.receive(message)).toBe(true)
    expect(await office.receive(message)).toBe(true)
    expect(office.mailsTo(email)).toEqual([])
    expect(await office.statusOf(message)).toBe('rejected')
    expect(office.logged.at(-2)).toContain(`"status":"rejected","reason":"${type}"`)
  })
})

describe('a connection to SES', () => {
  it('is opened for each mail, since a kept one may break while the function is frozen', async () => {
    const connections: (string | undefined)[] = []
    const server = createServer((request, response) => {
      connections.push(request.headers.connection)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"MessageId":"1"}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const post = openTransport({ clientConfig: clientSettings(`http://127.0.0.1:${port}`) })
    const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
    const from = { sender: 'content@example.com', configurationSet: undefined }
    expect(await post(mail, from)).toEqual({ outcome: 'sent' })
    expect(connections).toEqual(['close'])
  })
})

describe('an unknown outcome', () => {
  it.each(['hangs', 'breaks', { status: 500, type: 'InternalServiceErrorException' }] as const)(
    'is not retried after %o',
    async fault => {
      const { email, message } = await registered()
      office.willAnswer(fault)
      expect(await office.receive(message)).toBe(true)
      expect(await office.receive(message)).toBe(true)
      // SES had accepted the mail before it went silent. With a 500 it had not, but the worker cannot know.
      expect(office.mailsTo(email)).toHaveLength(typeof fault === 'string' ? 1 : 0)
      expect(await office.statusOf(message)).toBe('unknown')
    },
  )
})
