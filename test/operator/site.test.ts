// The commands for the whole site: settings, counts and webhooks.
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownComments } from '../../shared/comments/contract.ts'
import { contact } from '../../shared/contact/contract.ts'
import { addRefusal } from '../../shared/mail/refusals.ts'
import { newsletter } from '../../shared/newsletter/contract.ts'
import { site } from '../../shared/site/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { ticketWorld } from '../world/ticket-world.ts'
import { useWorld } from '../world/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
let operator: ReturnType<typeof operatorOn>
beforeAll(async () => {
  operator = operatorOn(world)
})

describe('settings set', () => {
  it('sets a setting by its type, which settings get shows and settings unset resets', async () => {
    expect((await operator.run(['settings', 'set', 'general.site_name', 'true'])).out).toBe(
      'general.site_name\ttrue\n',
    )
    expect(await operator.json(['settings', 'set', 'blog.posts_per_page', '20'])).toEqual([
      { key: 'blog.posts_per_page', value: 20, group: 'blog', is_public: true },
    ])
    await operator.json(['settings', 'set', 'comments.enabled', 'false'])
    const shown = (await world.call(site.getPublicSettings)).data
    expect(shown).toMatchObject({
      'general.site_name': 'true',
      'blog.posts_per_page': 20,
      'comments.enabled': false,
    })
    expect((await operator.run(['settings', 'unset', 'comments.enabled'])).out).toBe(
      'comments.enabled\ttrue\n',
    )
    expect((await operator.run(['settings', 'get', 'general.locale'])).out).toBe('general.locale\t(unset)\n')
    expect(await operator.json(['settings', 'get'])).toHaveLength(26)
  })

  it('warns about a token lifetime, which may expire the token of the owner, and about nothing else', async () => {
    const { out, err } = await operator.run(['settings', 'set', 'auth.token_lifetime_minutes', '600000'])
    expect(out).toBe('auth.token_lifetime_minutes\t600000\n')
    expect(err).toContain('including admin tokens. If yours is among them, run: token create')
    const other = await operator.run(['settings', 'unset', 'auth.token_lifetime_minutes'])
    expect(other.err).not.toContain('token create')
  })
})

describe('mail refused', () => {
  it('lists the addresses that get no mail, newest first, until mail allow lifts it', async () => {
    const at = Date.parse('2026-11-01T12:00:00Z')
    const bounced = { email: 'away@example.com', reason: 'bounce', detail: 'General: 550\tunknown' } as const
    const complained = { email: 'annoyed@example.com', reason: 'complaint', detail: 'abuse' } as const
    await addRefusal(world.table, { ...bounced, refused_ms: at })
    await addRefusal(world.table, { ...complained, refused_ms: at + 1_000 })
    expect((await operator.run(['mail', 'refused'])).out).toBe(
      'annoyed@example.com\tcomplaint\t2026-11-01T12:00:01+00:00\tabuse\n' +
        'away@example.com\tbounce\t2026-11-01T12:00:00+00:00\tGeneral: 550\\u0009unknown\n',
    )
    const { out } = await operator.run(['mail', 'allow', ' Away@Example.com'])
    expect(out).toBe('Away@Example.com gets mails again.\n')
    expect(await operator.json(['mail', 'allow', 'away@example.com'])).toEqual({
      email: 'away@example.com',
      was_refused: false,
    })
    expect(await operator.json(['mail', 'refused'])).toEqual([
      { ...complained, refused_at: '2026-11-01T12:00:01+00:00', allowed_at: null },
    ])
    const { refused_addresses } = await operator.json(['counts'])
    expect(refused_addresses).toEqual({ refused: 1, allowed: 1, total: 2 })
    expect((await operator.run(['doctor'])).out).toContain('Nothing is wrong.')
  })
})

describe('counts', () => {
  it('counts the records of each kind', async () => {
    const { id, slug } = await world.create.category()
    const { id: postId } = await world.create.livePost()
    const comment = { post_id: postId, body: 'Well said.' }
    const message = { name: 'Ada', email: 'ada@example.com', message: 'Hello.' }
    await Promise.all([
      world.call(ownComments.createOwnComment, { token: world.admin, body: comment }),
      world.call(contact.submitContact, { body: message }),
      world.call(newsletter.subscribe, { body: { email: 'ada@example.com' } }),
      ticketWorld(world).open(world.admin),
    ])
    const later = new Date(Date.now() + 86_400_000).toISOString()
    await Promise.all([
      world.create.post(),
      world.create.livePost({ category_ids: [id] }),
      world.create.livePost({ category_ids: [id], posted_at: later }),
      world.create.livePost({ content_type: 'page' }),
    ])
    const counts = await operator.json(['counts'])
    expect(counts).toMatchObject({
      posts: { published: 2, scheduled: 1, draft: 1, total: 4 },
      pages: { published: 1, scheduled: 0, draft: 0, total: 1 },
      comments: { pending: 1, approved: 0, rejected: 0, total: 1 },
      tickets: { open: 1, in_progress: 0, resolved: 0, closed: 0, total: 1 },
      newsletter: { pending: 1, subscribed: 0, unsubscribed: 0, total: 1 },
      contact: 1,
      users: (await operator.json(['user', 'list'])).length,
    })
    expect(counts.categories).toContainEqual(expect.objectContaining({ id, posts_count: 1 }))
    expect((await operator.run(['counts'])).out).toContain(`category ${slug}\t1\n`)
  })
})

describe('webhooks list', () => {
  it('lists the subscriptions of all users, even after webhooks pause and webhooks delete', async () => {
    const { id, name } = await world.create.webhook('https://example.com/hook')
    const ofWorld = (call: { out: string }) => call.out.split('\n').find(line => line.startsWith(`${id}\t`))
    expect(ofWorld(await operator.run(['webhooks', 'list']))).toBe(
      `${id}\tactive\towner@example.com\t${name}\thttps://example.com/hook\t*\t0 sent, 0 of them failed`,
    )
    expect((await operator.run(['webhooks', 'pause', String(id)])).out).toContain(`Paused subscription ${id}`)
    const { data } = await world.call(adminWebhooks.getWebhook, { token: world.admin, params: { id } })
    expect(data.is_active).toBe(false)
    expect(await operator.json(['webhooks', 'list'])).toContainEqual(
      expect.objectContaining({ id, owner: 'owner@example.com', is_active: false, total_deliveries: 0 }),
    )
    expect(await operator.json(['webhooks', 'delete', String(id)])).toEqual({ id, deleted: true })
    expect((await world.call(adminWebhooks.getWebhook, { token: world.admin, params: { id } })).status).toBe(
      404,
    )
    const { code, err } = await operator.run(['webhooks', 'delete', String(id)])
    expect(code).toBe(1)
    expect(err).toContain(`There is no subscription ${id}. List all subscriptions: webhooks list`)
  })
})

describe('webhooks rotate-secret', () => {
  it('shows a new secret once, which signs the next delivery together with the old one', async () => {
    const subscriber = await openSubscriber()
    const { id, name, secret: old } = await world.create.webhook(subscriber.url)
    const { code, out } = await operator.run([
      'webhooks',
      'rotate-secret',
      String(id),
      '--overlap-hours',
      '2',
    ])
    expect(code).toBe(0)
    const { data } = await world.call(adminWebhooks.getWebhook, { token: world.admin, params: { id } })
    const [first, , secret = ''] = out.split('\n')
    expect(first).toBe(
      `Rotated the secret of subscription ${id}, ${name} (${subscriber.url}). The old one signs as well until ${data.secret_rotation?.ends_at}.`,
    )
    await world.call(adminWebhooks.testWebhook, { token: world.admin, params: { id } })
    const { headers = {}, body = '' } = subscriber.received[0] ?? {}
    const signed = Object.fromEntries(Object.entries(headers).map(([key, text]) => [key, String(text)]))
    for (const each of [old, secret]) new StandardWebhook(each).verify(body, signed)
  })

  it('stops the old secret immediately without an overlap, and says why it cannot rotate', async () => {
    const { id } = await world.create.webhook('https://example.com/hook')
    const rotate = ['webhooks', 'rotate-secret', String(id)]
    expect((await operator.run([...rotate, '--overlap-hours', '0'])).out).toContain(
      'The old one signs nothing any more.',
    )
    const { secret, secret_rotation } = await operator.json(rotate)
    expect(secret).toMatch(/^whsec_/)
    const again = await operator.run(rotate)
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.err).toContain(`is being rotated until ${secret_rotation.ends_at}`)
    const missing = await operator.run(['webhooks', 'rotate-secret', '999999'])
    expect([missing.code, missing.err.includes('There is no subscription 999999')]).toEqual([1, true])
  })
})
