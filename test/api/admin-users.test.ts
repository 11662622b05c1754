// Users for admins: listed by id, and found by the beginning of a name or an address.
import { beforeAll, describe, expect, it } from 'vitest'
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { changeUser, createUser } from '../../shared/accounts/commands/users.ts'
import { useWorld } from '../support/world.ts'

const { listUsers } = adminUsers

const world = useWorld()
beforeAll(async () => {
  await Promise.all([
    ...Array.from({ length: 45 }, (_, n) => add(`Mass ${n % 3}`, `mass${String(n).padStart(2, '0')}`)),
    ...NAMES.map((name, n) => add(name, `named${n}`)),
  ])
  // These names are equal for the order, so that their ids decide.
  for (const name of LONGEST) await add(name, `longest${name.at(-1)}`)
})

const LONG = 'l'.repeat(120)
const NAMES = [
  'Ada Lovelace',
  'ADA',
  'Adam',
  'Ädam Émile',
  'A\u0308dams',
  '100 % Ada',
  'Ωμέγας',
  'ΩΜΈΓΑΣ ΜΈΓΑΣ',
  'Straße',
  '東京 太郎',
  '😀 Smiley',
  '\u{10ffff}',
]
const LONGEST = [`${LONG}b`, `${LONG}a`]

function add(name: string, mailbox: string, domain = 'example.com') {
  return createUser(
    world.table,
    { name, email: `${mailbox}@${domain}`, email_verified: false, password_hash: null },
    Math.floor(Date.now() / 1000),
  )
}

function list(query: Record<string, string | number> = {}) {
  return world.call(listUsers, { token: world.admin, query })
}

async function namesFor(q: string, perPage = 100) {
  const { data, pagination } = await list({ q, per_page: perPage })
  expect(pagination.total).toBe(data.length)
  return data.map(({ name }) => name)
}

describe('GET /api/v1/admin/users', () => {
  it('lists users by id, and those of a beginning by name, and by id if many names are equal', async () => {
    const all = (await list({ per_page: 100 })).data
    expect(all).toEqual(all.toSorted((a, b) => a.id - b.id))
    const pages = await Promise.all([1, 2, 3, 4, 5].map(page => list({ q: 'mAsS', page, per_page: 10 })))
    const listed = pages.flatMap(({ data }) => data)
    expect(listed).toEqual(listed.toSorted((a, b) => a.name.localeCompare(b.name) || a.id - b.id))
    expect([listed.length, new Set(listed.map(({ id }) => id)).size]).toEqual([45, 45])
    expect((await list({ q: 'mass', page: 99 })).data).toEqual([])
  })

  it.each([
    ['ada', ['ADA', 'Ada Lovelace', 'Adam', 'Ädam Émile', 'A\u0308dams']],
    [' ÁDAM ', ['Adam', 'Ädam Émile', 'A\u0308dams']],
    ['adam e', ['Ädam Émile']],
    ['lovelace', []],
    ['%', []],
    ['100 %', ['100 % Ada']],
    ['1', ['100 % Ada']],
    ['ωμεγασ', ['Ωμέγας', 'ΩΜΈΓΑΣ ΜΈΓΑΣ']],
    ['ΩΜΕΓΑΣ', ['Ωμέγας', 'ΩΜΈΓΑΣ ΜΈΓΑΣ']],
    ['STRASSE', ['Straße']],
    ['straß', ['Straße']],
    ['東', ['東京 太郎']],
    ['😀', ['😀 Smiley']],
    ['\u{10ffff}', ['\u{10ffff}']],
    [LONG, LONGEST],
    [`${LONG}a`, LONGEST],
    ['adb', []],
  ])('finds users by %j', async (q, names) => {
    expect(await namesFor(q)).toEqual(names)
  })

  it('finds users by the beginning of an address if q has an @ or no name begins so, ignoring case', async () => {
    await Promise.all([
      add('Zoe', 'Zoe', 'Mail.example'),
      add('Zoe', 'zoe', 'mail.examplf'),
      add('Zoe', 'zo'),
    ])
    const emailsFor = async (q: string) => (await list({ q })).data.map(({ email }) => email)
    expect(await emailsFor('ZOE@')).toEqual(['Zoe@Mail.example', 'zoe@mail.examplf'])
    expect(await emailsFor('zoe@mail.example')).toEqual(['Zoe@Mail.example'])
    expect(await emailsFor('zoe@mail.examplee')).toEqual([])
    expect(await emailsFor('@')).toEqual([])
    expect(await emailsFor(`${'\u{1d160}'.repeat(254)}@`)).toEqual([])
    expect((await list({ q: 'MASS0' })).pagination.total).toBe(10)
    expect((await list({ q: 'mass0', page: 2, per_page: 9 })).data).toMatchObject([{ name: 'Mass 0' }])
    expect((await list({ q: 'mass0@' })).pagination.total).toBe(0)
    expect((await list({ q: 'mass00@e' })).pagination.total).toBe(1)
  })

  it('finds a renamed user by the new name only', async () => {
    const before = await add('Earlier', 'renamed')
    await changeUser(world.table, before.id, user => ({ ...user, name: 'Later' }))
    expect([await namesFor('earlier'), await namesFor('later')]).toEqual([[], ['Later']])
    expect((await list({ q: 'renamed@' })).data).toMatchObject([{ name: 'Later' }])
  })
})
