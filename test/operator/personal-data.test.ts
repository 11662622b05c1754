// `user export` and `user erase` on a service that keeps something of a person in every kind of record.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { canonical } from '../../infra/operator/doctor/compare.ts'
import { beginErasure } from '../../shared/accounts/commands/account.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import { adminComments } from '../../shared/comments/contract.ts'
import { foldedEmail } from '../../shared/http/email.ts'
import { newsletter } from '../../shared/newsletter/contract.ts'
import { posts } from '../../shared/posts/contract.ts'
import { KINDS } from '../../shared/table/kinds.ts'
import { adminTickets } from '../../shared/tickets/contract.ts'
import { dumpAt } from '../support/table.ts'
import { until } from '../support/until.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { useWorld } from '../support/world.ts'
import { operatorOn } from './operator-world.ts'
import { expectNothingWrong, leftOf, openPerson } from './personal-data-world.ts'

const DELETED = 'Deleted user'

const world = useWorld()
const operator = operatorOn(world)

function erase(email: string, ...options: string[]) {
  return operator.json(['user', 'erase', email, '--yes', ...options])
}

function ticketOf(id: number) {
  return world.call(adminTickets.getTicket, { token: world.admin, params: { id } })
}

async function dump() {
  return (await dumpAt(world.dynamodbEndpoint, world.tableName)).map(canonical).sort()
}

describe('user export', () => {
  it('prints all that is kept of a person, and no secret', async () => {
    const person = await openPerson(world)
    const { code, out } = await operator.run(['user', 'export', person.email.toUpperCase()])
    expect(code).toBe(0)
    const exported = JSON.parse(out)
    expect(exported).toMatchObject({
      email: person.email,
      account: { id: person.id, email: person.email, name: person.name, has_password: false },
      posts: expect.arrayContaining([expect.objectContaining({ id: person.own.id, is_published: true })]),
      comments: [
        { id: person.comments.own.id, body: 'By a user.', status: 'pending' },
        { id: person.comments.guest.id, guest: { name: 'Ada', email: person.email.toUpperCase() } },
      ],
      tickets: [{ id: person.ticket.id, replies: [{ body: 'We look into it.' }] }],
      ticket_replies: [{ ticket_id: person.foreignTicket.id, body: 'Done.' }],
      newsletter: [{ email: person.email, status: 'subscribed' }],
      contact: [{ email: person.email, message: 'Hello.' }],
      mail_refusals: [
        {
          email: foldedEmail(person.email),
          reason: 'bounce',
          detail: `General: smtp; 550 5.1.1 ${person.email} is unknown`,
          refused_at: '2026-11-01T12:00:00+00:00',
          allowed_at: null,
        },
      ],
      webhooks: [{ id: person.webhook.id, url: 'https://example.com/hook' }],
      events: expect.arrayContaining([
        expect.objectContaining({
          event: 'user.registered',
          data: expect.objectContaining({ email: person.email }),
        }),
      ]),
    })
    expect(exported.account.tokens).toHaveLength(1)
    expect(out).not.toMatch(/secret|hash|hcs_/)
  })

  it('has no account and empty lists for an address of which nothing is kept', async () => {
    const exported = await operator.json(['user', 'export', 'stranger@example.com'])
    expect(exported).toMatchObject({ email: 'stranger@example.com', account: null, comments: [], posts: [] })
  })
})

describe('user erase', () => {
  it('changes nothing with --dry-run, and names what it would do', async () => {
    const person = await openPerson(world)
    await until('the service to finish its work', () => world.isIdle() && world.isIndexed())
    const before = await dump()
    const { out } = await operator.run(['user', 'erase', person.email, '--dry-run'])
    expect(out).toContain(`Would erase ${person.email}, user ${person.id}:\n`)
    expect(out).toContain(`comments\t2\tkept under "${DELETED}"\n`)
    expect(out).toContain('account\t1\tdeleted with its tokens, password and addresses\n')
    expect(await dump()).toEqual(before)
  })

  it('leaves nothing of the person, frees the address, and keeps the content under "Deleted user"', async () => {
    const person = await openPerson(world)
    const { steps } = await erase(person.email)
    expect(
      Object.fromEntries(steps.map((step: { what: string; count: number }) => [step.what, step.count])),
    ).toEqual({
      'webhook subscriptions': 1,
      'newsletter subscriptions': 1,
      'contact messages': 1,
      'refusals of mail': 1,
      comments: 2,
      tickets: 1,
      'replies to tickets of others': 1,
      'posts and pages': 2,
      'events in the log': 2,
      'other rows': 2,
      account: 1,
    })
    const left = (await leftOf(world, person)).map(({ pk }) => pk)
    expect(left).toEqual([`COMMENT#${person.comments.mention.id}`])
    expect((await world.call(me.getMe, { token: person.token })).status).toBe(401)
    const post = await world.call(posts.getPost, { params: { slug: person.own.slug } })
    expect(post.data.author).toEqual({ name: DELETED, avatar: null })
    const query = { per_page: 100 }
    const shown = await world.call(adminComments.listComments, { token: world.admin, query })
    const commentOf = (id: number) => shown.data.find(comment => comment.id === id)
    const erased = { author: { name: DELETED }, author_email: '' }
    expect(commentOf(person.comments.own.id)).toMatchObject(erased)
    expect(commentOf(person.comments.guest.id)).toMatchObject(erased)
    const ticket = await ticketOf(person.ticket.id)
    expect(ticket.data.user).toEqual({ id: person.id, name: DELETED, email: '' })
    await expectNothingWrong(world)
    const body = { name: 'Again', email: person.email, password: 'another password' }
    const { status, data } = await world.call(auth.register, { body })
    expect(status).toBe(201)
    expect(data.user.id).not.toBe(person.id)
  })

  it('deletes comments and tickets with --delete-content, and keeps every count exact', async () => {
    const person = await openPerson(world)
    await erase(person.email, '--delete-content')
    for (const { id } of [person.comments.own, person.comments.guest]) {
      const call = await world.call(adminComments.approveComment, { token: world.admin, params: { id } })
      expect(call.status).toBe(404)
    }
    expect((await ticketOf(person.ticket.id)).status).toBe(404)
    const { data } = await ticketOf(person.foreignTicket.id)
    expect(data.replies).toMatchObject([{ author: { name: DELETED }, body: 'Done.' }])
    await expectNothingWrong(world)
  })

  it('erases a subscriber without an account, and says the second time that nothing is kept', async () => {
    const email = 'reader@example.com'
    await world.call(newsletter.subscribe, { body: { email } })
    expect((await erase(email)).steps).toEqual([
      { what: 'newsletter subscriptions', count: 1, outcome: 'deleted' },
    ])
    const again = await operator.run(['user', 'erase', email, '--yes'])
    expect(again).toMatchObject({ code: 0, out: `Nothing is kept of ${email}.\n` })
  })
})

describe('an erasure that was interrupted after its first step', () => {
  it('has locked the account, is reported by the doctor, and is finished by the next run', async () => {
    const password = 'a long password'
    const { id, email, token } = await world.create.user({ password })
    await beginErasure(unitOfWorkOn(world.table), id)
    expect((await world.call(me.getMe, { token })).status).toBe(401)
    expect((await world.call(auth.login, { body: { email, password } })).code).toBe('INVALID_CREDENTIALS')
    const { code, out } = await operator.run(['doctor'])
    expect(code).toBe(1)
    expect(out).toContain(`has not ended. Unless it still runs, finish it: user erase ${email} --yes\n`)
    await erase(email)
    await expectNothingWrong(world)
  })
})

describe('infra/operator/personal-data/README.md', () => {
  it('says of each kind of item what an erasure does with it, or that it holds nothing of a person', () => {
    const file = new URL('../../infra/operator/personal-data/README.md', import.meta.url)
    const page = readFileSync(file, 'utf8')
    const inTable = [...page.matchAll(/^\| `([A-Z]+)` \|/gm)].map(([, kind]) => kind)
    const [holdNothing = ''] = /^Nothing of a person is in [^.]+/m.exec(page) ?? []
    const others = [...holdNothing.matchAll(/`([A-Z]+)`/g)].map(([, kind]) => kind)
    expect([...inTable, ...others].sort()).toEqual(Object.keys(KINDS).sort())
  })
})
