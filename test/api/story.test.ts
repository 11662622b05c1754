// One story of all audiences, from the first visit to the last, in which every event fires once.
import { describe, expect, it } from 'vitest'
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import { adminComments, comments, ownComments } from '../../shared/comments/contract.ts'
import { contact } from '../../shared/contact/contract.ts'
import { EVENT_NAMES, EVENTS } from '../../shared/events/catalogue.ts'
import { newsletter } from '../../shared/newsletter/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { adminTickets, tickets } from '../../shared/tickets/contract.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const EMAIL = 'grace@example.com'
async function linkIn(email: string, nth: number) {
  const { token } = await world.mailTo(email, nth)
  if (token === undefined) throw new Error(`Mail ${nth} to ${email} has no link.`)
  return token
}

/** Registers, verifies the address, resets the password and logs in. */
async function aStrangerBecomesAUser(): Promise<{ id: number; token: string }> {
  const { call } = world
  const [old, password] = ['the first of my passwords', 'one that I remember']
  const joined = (await call(auth.register, { body: { name: 'Grace', email: EMAIL, password: old } })).data
  expect(joined.user).toMatchObject({ name: 'Grace', email: EMAIL, email_verified: false })
  await call(auth.verifyEmail, { body: { token: await linkIn(EMAIL, 1) } })
  expect((await call(me.getMe, { token: joined.token })).data.email_verified).toBe(true)
  await call(auth.forgotPassword, { body: { email: EMAIL } })
  await call(auth.resetPassword, { body: { token: await linkIn(EMAIL, 2), password } })
  expect((await call(me.getMe, { token: joined.token })).status).toBe(401)
  expect((await call(auth.login, { body: { email: EMAIL, password: old } })).status).toBe(401)
  const session = (await call(auth.login, { body: { email: EMAIL, password } })).data
  const abilities = ['user', 'comments:write', 'tickets:write', 'newsletter:manage']
  const body = { name: 'site', abilities }
  const { token } = (await call(me.createToken, { token: session.token, body })).data
  return { id: joined.user.id, token }
}

async function anEditorPublishes() {
  const { admin: token, call } = world
  const post = await world.create.post({ title: 'Hello' })
  const params = { id: post.id }
  expect((await call(posts.getPost, { params: { slug: post.slug } })).status).toBe(404)
  await call(adminPosts.publishPost, { token, params })
  await call(adminPosts.changePost, { token, params, body: { title: 'Hello, world' } })
  await world.create.livePost({ title: 'About', content_type: 'page' })
  expect((await call(posts.getPost, { params: { slug: post.slug } })).data.title).toBe('Hello, world')
  return post
}

async function aUserComments(token: string, { id, slug }: { id: number; slug: string }) {
  const { admin, call } = world
  const body = { post_id: id, body: 'First! <b>&amp;</b>\n\nwith "quotes"' }
  const comment = (await call(ownComments.createOwnComment, { token, body })).data
  expect(comment.status).toBe('pending')
  const read = async () => (await call(comments.listComments, { params: { slug } })).data
  expect(await read()).toEqual([])
  await call(adminComments.approveComment, { token: admin, params: { id: comment.id } })
  expect(await read()).toMatchObject([{ id: comment.id, body: body.body, author: { name: 'Grace' } }])
}

async function aUserAsksForHelp(token: string) {
  const { admin, call } = world
  const body = { subject: 'It does not open', description: 'I tried twice.', priority: 'high' }
  const { id } = (await call(tickets.createTicket, { token, body })).data
  const params = { id }
  await call(adminTickets.replyToTicket, { token: admin, params, body: { body: 'Turn it around.' } })
  const read = (await call(tickets.getTicket, { token, params })).data
  expect(read).toMatchObject({
    status: 'in_progress',
    replies: [{ body: 'Turn it around.', is_staff: true }],
  })
}

async function aReaderFollowsTheNewsletter() {
  const { call } = world
  const email = 'reader@example.com'
  await call(newsletter.subscribe, { body: { email } })
  const token = await linkIn(email, 1)
  await call(newsletter.confirm, { body: { token } })
  await call(newsletter.unsubscribe, { body: { token } })
}

describe('the story of each audience', () => {
  it('delivers each event exactly once and as the catalogue describes it', async () => {
    const { admin, call } = world
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const user = await aStrangerBecomesAUser()
    const post = await anEditorPublishes()
    await Promise.all([
      aUserComments(user.token, post),
      aUserAsksForHelp(user.token),
      aReaderFollowsTheNewsletter(),
      call(contact.submitContact, { body: { name: 'Ada', email: 'ada@example.com', message: 'Hello?' } }),
    ])
    await call(adminUsers.banUser, { token: admin, params: { id: user.id }, body: { reason: 'Spam' } })
    const banned = await call(me.getMe, { token: user.token })
    expect([banned.status, banned.code]).toEqual([403, 'ACCOUNT_BANNED'])
    const params = { id: post.id }
    await call(adminPosts.unpublishPost, { token: admin, params })
    await call(adminPosts.deletePost, { token: admin, params })

    const promised = EVENT_NAMES.filter(name => name !== 'test.ping')
    await subscriber.waitFor(promised.length)
    await world.runSchedule('sweep')
    await until('the queues to be empty', world.isIdle)
    expect(subscriber.events().toSorted()).toEqual(promised.toSorted())
    for (const name of promised) {
      const [delivery] = subscriber.named(name)
      expect(EVENTS[name].data.parse(delivery?.data)).toEqual(delivery?.data)
    }
    const ids = subscriber.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(promised.length)
  })
})
