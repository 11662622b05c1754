// What SES publishes about mails: after a hard bounce or a complaint, an address gets no more mail.
import { describe, expect, it } from 'vitest'
import type { MailMessage } from '../../shared/events/message.ts'
import { findRefusal, findRefusals, liftRefusal, listRefusals } from '../../shared/mail/refusals.ts'
import { changeByEmail } from '../../shared/newsletter/commands.ts'
import { requestSubscription } from '../../shared/newsletter/subscriber.ts'
import { use } from '../support/use.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { openMailWorld } from './mail-world.ts'
import { AT_MS, bounce, complaint, mailTo } from './ses-notices.ts'

const world = use(openMailWorld)

let number = 0
/** An address of the mailbox simulator of SES, which behaves here as in AWS. */
function simulated(name: 'bounce' | 'complaint' | 'ooto' | 'suppressionlist'): string {
  return `${name}+${++number}@simulator.amazonses.com`
}

/** An address of a reader, whose mails do not count for others. */
function reader(): string {
  return `reader${++number}@example.com`
}

/** Sends a mail that confirms the address of a new account, and returns how to order the next one. */
async function firstMail(email: string) {
  const user = await world.user('Ada', email)
  const order = () => world.order({ kind: 'verify-email', user_id: user.id })
  expect(await world.receive(order())).toBe(true)
  expect(world.mailsTo(email)).toHaveLength(1)
  return { ...user, order }
}

function lastLine(message: 'mail' | 'a notice of SES' = 'a notice of SES') {
  return JSON.parse(world.logged.findLast(line => line.includes(`"message":"${message}"`)) ?? '{}')
}

describe('a mail to an address of the mailbox simulator', () => {
  it.each(['bounce', 'complaint', 'suppressionlist'] as const)('is the last one to %s@', async name => {
    const { email, order } = await firstMail(simulated(name))
    const next = order()
    expect(await world.receive(next)).toBe(true)
    expect(world.mailsTo(email)).toHaveLength(1)
    const reason = name === 'complaint' ? name : 'bounce'
    const { id: mail_id, kind } = next
    expect(lastLine('mail')).toEqual({
      level: 'info',
      message: 'mail',
      mail_id,
      kind,
      status: 'refused',
      reason,
    })
    expect(await world.statusOf(next)).toBeUndefined()
  })

  it('is followed by others to ooto@, which bounces for a time', async () => {
    const { email, order } = await firstMail(simulated('ooto'))
    await world.receive(order())
    expect(world.mailsTo(email)).toHaveLength(2)
    expect(await findRefusal(world.table, email)).toBeUndefined()
  })
})

describe('an address that refused a mail', () => {
  it('gets none in another spelling of its host, which SES names in ASCII', async () => {
    const ascii = 'ada@xn--bcher-kva.example'
    const { id } = await world.user('Ada', 'Ada@BÜCHER.example')
    const order = () => world.order({ kind: 'verify-email', user_id: id })
    await world.receive(order())
    expect(world.mailsTo('Ada@xn--bcher-kva.example')).toHaveLength(1)
    await world.notify(bounce('Ada@xn--bcher-kva.example'))
    expect((await findRefusal(world.table, 'ada@bücher.example'))?.email).toBe(ascii)
    await world.receive(order())
    expect(lastLine('mail')).toMatchObject({ status: 'refused', reason: 'bounce' })
  })

  it('gets none of any other kind, in any spelling', async () => {
    const { email, id } = await firstMail(simulated('bounce'))
    const work = unitOfWorkOn(world.table, world.clock.nowMs)
    const subscriber = await changeByEmail(work, email.toUpperCase(), requestSubscription)
    const kinds: MailMessage[] = [
      world.order({ kind: 'verify-email', user_id: id }),
      world.order({ kind: 'reset-password', email: email.toUpperCase() }),
      world.order({ kind: 'confirm-newsletter', subscriber_id: subscriber.id }),
      world.order({
        kind: 'webhook-failing',
        owner_id: id,
        webhook_id: 1,
        name: 'Mine',
        problem: 'It hangs.',
      }),
    ]
    for (const message of kinds) {
      expect(await world.receive(message)).toBe(true)
      expect(lastLine('mail')).toMatchObject({ kind: message.kind, status: 'refused' })
    }
    const all = [...world.mailsTo(email), ...world.mailsTo(email.toUpperCase())]
    expect(all).toHaveLength(1)
  })

  it('gets mails again once it is allowed, though old notices come again', async () => {
    const { email, order } = await firstMail(reader())
    await world.notify(bounce(email))
    expect(await liftRefusal(world.table, email.toUpperCase(), AT_MS + 60_000)).toBe(true)
    expect(await liftRefusal(world.table, email, AT_MS + 90_000)).toBe(false)
    for (const late of [bounce(email), complaint(email)]) expect(await world.notify(late)).toBe(true)
    expect(await findRefusal(world.table, email)).toBeUndefined()
    await world.receive(order())
    expect(world.mailsTo(email)).toHaveLength(2)
    await world.notify(bounce(email, { at: '2026-03-01T08:01:00.001Z' }))
    await world.receive(order())
    expect(world.mailsTo(email)).toHaveLength(2)
  })
})

describe('a notice', () => {
  it('writes one record, however often and in whatever order notices come', async () => {
    const email = reader()
    const both = [bounce(email), complaint(email.toUpperCase(), { at: '2026-03-01T09:00:00.000Z' })]
    await Promise.all([...both, ...both].map(world.notify))
    for (const event of both.toReversed()) expect(await world.notify(event)).toBe(true)
    const all = (await listRefusals(world.table)).filter(refusal => refusal.email === email)
    const refused_ms = AT_MS + 3_600_000
    expect(all).toEqual([{ email, reason: 'complaint', detail: 'abuse', refused_ms }])
    expect(lastLine()).toMatchObject({
      message: 'a notice of SES',
      kind: 'Bounce Permanent General',
      refused: 0,
    })
  })

  it('is about the address that the service sent to, and not about the one that forwarded it', async () => {
    const [email, elsewhere] = [reader(), reader()]
    await world.notify(bounce(elsewhere, { to: [email] }))
    const found = await findRefusals(world.table, [email, elsewhere, email])
    expect([...found.values()]).toEqual([
      { email, reason: 'bounce', detail: 'General: smtp; 550 5.1.1 user unknown', refused_ms: AT_MS },
    ])
  })

  it.each([
    ['a transient bounce', (email: string) => bounce(email, { type: 'Transient' })],
    [
      'an undetermined bounce without recipients',
      (email: string) => bounce(email, { type: 'Undetermined', recipients: [] }),
    ],
    ['a report that a mail is no spam', (email: string) => complaint(email, { feedback: 'not-spam' })],
    ['an event of a kind of tomorrow', (email: string) => ({ eventType: 'Tomorrow', mail: mailTo([email]) })],
  ])('of %s changes nothing', async (_, eventFor) => {
    const email = reader()
    expect(await world.notify(eventFor(email))).toBe(true)
    expect(await findRefusal(world.table, email)).toBeUndefined()
    expect(lastLine()).toMatchObject({ level: 'info', message: 'a notice of SES', refused: 0 })
  })

  it('without an event is ignored, such as the text by which SES tests the topic', async () => {
    const Message = 'Successfully validated SNS topic for Amazon SES event publishing.'
    expect(await world.receive({ Type: 'Notification', Message })).toBe(true)
    expect(lastLine()).toMatchObject({ kind: 'unknown', refused: 0 })
  })

  it('of a bounce that cannot be read fails, so that it becomes a dead letter', async () => {
    expect(await world.notify({ eventType: 'Bounce' })).toBe(false)
    expect(await world.notify(bounce('ada@example.com', { at: 'yesterday' }))).toBe(false)
  })

  it.each(['before', 'after'] as const)('is read again when the table failed %s the write', async at => {
    const email = reader()
    world.fail({ operation: 'UpdateItem', mentions: email, at, error: 'SomeException', times: 1 })
    expect(await world.notify(bounce(email))).toBe(false)
    expect(await world.notify(bounce(email))).toBe(true)
    const all = (await listRefusals(world.table)).filter(refusal => refusal.email === email)
    expect(all).toEqual([expect.objectContaining({ reason: 'bounce', refused_ms: AT_MS })])
    // The log contains no address.
    expect(world.logged.join('\n')).not.toContain(email)
  })
})
