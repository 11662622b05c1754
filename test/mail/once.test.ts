// A mail is sent at most once, whatever is repeated, dies or breaks. One that SES did not accept is retried.
import { describe, expect, it, onTestFinished } from 'vitest'
import type { MailMessage } from '../../shared/events/message.ts'
import { claimMail } from '../../shared/mail/send.ts'
import { openTransport } from '../../shared/mail/transport.ts'
import { openServer } from '../support/server.ts'
import { use } from '../support/use.ts'
import { KEY, openMailWorld, sesAccessAt } from './mail-world.ts'

const world = use(openMailWorld)

/** Creates a user, and orders the mail that confirms the address. */
async function registered() {
  const user = await world.user()
  return { ...user, message: world.order({ kind: 'verify-email', user_id: user.id }) }
}

/** Lets the lease of every claim expire. */
function passLease() {
  world.clock.nowMs += 60_000
}

describe('a repeated message', () => {
  it('sends one mail when both copies are processed at the same time', async () => {
    const { email, message } = await registered()
    const all = await Promise.all(Array.from({ length: 5 }, () => world.receive(message)))
    expect(all).toContain(true)
    // The second one found the mail claimed, and is repeated.
    expect(await world.receive(message)).toBe(true)
    expect(world.mailsTo(email)).toHaveLength(1)
  })
})

describe('a worker that dies', () => {
  const claimNow = (message: MailMessage, email: string, aheadMs = 0) => {
    const nowMs = world.clock.nowMs + aheadMs
    return claimMail({ table: world.table, key: KEY, nowMs, scale: 1 }, message, email)
  }

  /** The write of the mail fails that comes after so many others. */
  const failWrite = ({ id: mentions }: MailMessage, skips: number) =>
    world.fail({
      operation: 'TransactWriteItems',
      mentions,
      at: 'before',
      error: 'SomeException',
      skips,
      times: 1,
    })

  it('sends nothing more when it died after the claim, and logs the id of the mail but no address', async () => {
    const { email, message } = await registered()
    expect(await claimNow(message, email)).toBe('claimed')
    expect(await world.receive(message)).toBe(false)
    expect(await world.statusOf(message)).toBe('sending')
    passLease()
    expect(await world.receive(message)).toBe(true)
    expect(world.mailsTo(email)).toEqual([])
    expect(await world.statusOf(message)).toBe('unknown')
    const about = { message: 'mail', mail_id: message.id, kind: 'verify-email' }
    const interrupted = { level: 'warn', ...about, status: 'unknown', reason: 'interrupted' }
    expect(JSON.parse(world.logged.at(-1) ?? '')).toEqual(interrupted)
    expect(await world.receive(message)).toBe(true)
    expect(JSON.parse(world.logged.at(-1) ?? '')).toEqual({ level: 'info', ...about, status: 'dropped' })
  })

  it('leaves no mail open when its clock was an hour ahead', async () => {
    const { email, message } = await registered()
    await claimNow(message, email, 3_600_000)
    expect(await world.receive(message)).toBe(true)
    expect([await world.statusOf(message), world.mailsTo(email)]).toEqual(['unknown', []])
  })

  it('does not send again when it died after sending', async () => {
    const { email, message } = await registered()
    // The claim succeeds, the final write fails.
    failWrite(message, 1)
    expect(await world.receive(message)).toBe(false)
    passLease()
    expect(await world.receive(message)).toBe(true)
    expect(world.mailsTo(email)).toHaveLength(1)
  })

  it('leaves the mail to the next worker when it died before the claim', async () => {
    const { email, message } = await registered()
    failWrite(message, 0)
    expect(await world.receive(message)).toBe(false)
    expect(await world.receive(message)).toBe(true)
    expect(world.mailsTo(email)).toHaveLength(1)
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
    world.willAnswer({ status, type }, { status, type })
    expect(await world.receive(message)).toBe(false)
    expect(await world.receive(message)).toBe(false)
    expect(await world.receive(message)).toBe(true)
    expect(await world.receive(message)).toBe(true)
    expect(world.mailsTo(email)).toHaveLength(1)
    expect(await world.statusOf(message)).toBe('sent')
  })

  it('is sent by a repeated message when SES was not reachable', async () => {
    const { email, message } = await registered()
    expect(await world.receiveAt('http://127.0.0.1:9', message)).toBe(false)
    expect(await world.receive(message)).toBe(true)
    expect(world.mailsTo(email)).toHaveLength(1)
  })
})

describe('a mail with a final answer of SES', () => {
  it.each(['MessageRejected', 'BadRequestException'])('is not retried after %s', async type => {
    const { email, message } = await registered()
    world.willAnswer({ status: 400, type })
    expect(await world.receive(message)).toBe(true)
    expect(await world.receive(message)).toBe(true)
    expect(world.mailsTo(email)).toEqual([])
    expect(await world.statusOf(message)).toBe('rejected')
    expect(world.logged.at(-2)).toContain(`"status":"rejected","reason":"${type}"`)
  })
})

describe('a connection to SES', () => {
  it('is opened for each mail, since a kept one may break while the function is frozen', async () => {
    const connections: (string | undefined)[] = []
    const { url, stop } = await openServer((request, response) => {
      connections.push(request.headers.connection)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"MessageId":"1"}')
    })
    onTestFinished(stop)
    const post = openTransport()
    const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
    const sender = { MAIL_SENDER: 'content@example.com', MAIL_CONFIGURATION_SET: undefined }
    expect(await post(mail, { ...sender, ...sesAccessAt(url) })).toEqual({ outcome: 'sent' })
    expect(connections).toEqual(['close'])
  })
})

describe('a mail with an unknown outcome', () => {
  it.each(['hangs', 'breaks', { status: 500, type: 'InternalServiceErrorException' }] as const)(
    'is not retried after %o',
    async fault => {
      const { email, message } = await registered()
      world.willAnswer(fault)
      expect(await world.receive(message)).toBe(true)
      expect(await world.receive(message)).toBe(true)
      // SES had accepted the mail before it went silent. With a 500 it had not, but the worker cannot know.
      expect(world.mailsTo(email)).toHaveLength(typeof fault === 'string' ? 1 : 0)
      expect(await world.statusOf(message)).toBe('unknown')
    },
  )
})
