// Addresses whose host is in another script: shown as given, and one mailbox in every spelling.
import { describe, expect, it } from 'vitest'
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import { contact } from '../../shared/contact/contract.ts'
import { operatorOn } from '../operator/operator-world.ts'
import { commentWorld } from '../support/comment-world.ts'
import { newsletterWorld } from '../support/newsletter-world.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const readers = newsletterWorld(world)
const operator = operatorOn(world)

const PASSWORD = 'correct horse'
const ASCII = 'xn--bcher-kva.example'
/** The last one is decomposed. */
const HOSTS = ['bücher.example', 'BÜCHER.example', ASCII, ASCII.toUpperCase(), 'bu\u0308cher.example']

function spellings(name: string) {
  return HOSTS.map(host => `${name}@${host}`)
}

function register(email: string) {
  return world.call(auth.register, { body: { name: 'Ada', email, password: PASSWORD } })
}

function login(email: string, password: string) {
  return world.call(auth.login, { body: { email, password } })
}

describe('POST /api/v1/auth/register', () => {
  it.each(['BÜCHER.example', ASCII])(
    'shows an address at %s as given, and returns 422 for its other spellings',
    async host => {
      const name = host === ASCII ? 'ada' : 'grete'
      const email = `${name}@${host}`
      const { data } = await register(email)
      expect(data.user.email).toBe(email)
      expect((await world.call(me.getMe, { token: data.token })).data.email).toBe(email)
      for (const other of spellings(name)) {
        expect((await register(other)).fields).toEqual({ email: ['Is already taken.'] })
      }
      const last = spellings(name.toUpperCase()).at(-1) ?? ''
      expect((await login(last, PASSWORD)).data.user).toEqual(data.user)
      expect((await world.mailTo(`${name}@${ASCII}`)).token).toEqual(expect.any(String))
    },
  )
})

describe('POST /api/v1/newsletter/subscribe', () => {
  it('creates one subscriber and one mail for all spellings', async () => {
    for (const email of spellings('reader')) expect((await readers.subscribe(email)).status).toBe(200)
    expect((await readers.get('reader@bücher.example')).status).toBe('pending')
    const listed = (await readers.list({ per_page: 100 })).data
    expect(listed.filter(({ email }) => email.startsWith('reader@'))).toHaveLength(1)
    expect(await readers.mailsTo(`reader@${ASCII}`)).toHaveLength(1)
  })
})

describe('GET /api/v1/admin/users', () => {
  it.each([
    ['q1@bücher.example', ['q1@bü', 'q1@bücher.example', 'Q1@BÜCHER', `q1@${ASCII}`]],
    [`q2@${ASCII}`, ['q2@xn--b', `q2@${ASCII}`, 'q2@bücher', 'Q2@BÜCHER.example']],
  ])('finds %s by the beginning of its spellings', async (email, beginnings) => {
    await register(email)
    for (const q of beginnings) {
      const asAdmin = { token: world.admin, query: { q } }
      const { data, pagination } = await world.call(adminUsers.listUsers, asAdmin)
      expect([q, data.map(({ email }) => email), pagination.total]).toEqual([q, [email], 1])
    }
  })
})

describe('the owner’s commands', () => {
  it('find such an account, and what it has written, by any spelling', async () => {
    const { data } = await register('owner@bücher.example')
    const { slug } = await world.create.livePost()
    await commentWorld(world).submit(slug, { author_email: `owner@${ASCII}`, body: 'By a guest.' })
    const body = { name: 'A', email: 'owner@BÜCHER.example', message: 'Hi.' }
    await world.call(contact.submitContact, { body })
    await until('all queues to be empty', world.isIdle)
    const listed = await operator.json(['token', 'list', `owner@${ASCII}`])
    expect(listed).toHaveLength(1)
    const exported = await operator.json(['user', 'export', 'owner@BÜCHER.example'])
    expect(exported).toMatchObject({
      account: { id: data.user.id },
      comments: [{ body: 'By a guest.' }],
      contact: [{ message: 'Hi.' }],
    })
    await operator.json(['user', 'erase', `owner@${ASCII}`, '--yes'])
    expect((await login('owner@bücher.example', PASSWORD)).code).toBe('INVALID_CREDENTIALS')
  })
})
