// Nothing that a stranger or a fresh user sends changes what all readers pay, at every endpoint open to them.
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { findVersion } from '../../shared/cache/version.ts'
import { findLastPlace } from '../../shared/feed/changes.ts'
import { USER_ABILITIES } from '../../shared/http/audience.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { ENDPOINTS, endpointOf, membersOf } from '../support/endpoints.ts'
import { type FullChain, openFullChain } from '../support/full-chain.ts'
import { use } from '../support/use.ts'

const ABILITIES: readonly string[] = [...USER_ABILITIES, 'any']
const OPEN = ENDPOINTS.filter(({ endpoint: { ability } }) => ability === null || ABILITIES.includes(ability))
const WRITES = OPEN.filter(({ endpoint }) => endpoint.method !== 'GET')

/** What they take is in a mail: another token is refused. */
function needsMail(endpoint: Endpoint): boolean {
  return membersOf(endpoint.body).some(([member]) => member === 'token')
}

/** What readers see of a site. */
const READS: [name: string, query?: Record<string, string>][] = [
  ['GET /api/v1/posts'],
  ['GET /api/v1/posts', { include: 'body', per_page: '2' }],
  ['GET /api/v1/posts', { order: 'oldest' }],
  ['GET /api/v1/posts/{slug}'],
  ['GET /api/v1/posts/{slug}/related'],
  ['GET /api/v1/pages'],
  ['GET /api/v1/categories'],
  ['GET /api/v1/categories/{slug}/posts'],
  ['GET /api/v1/settings/public'],
  ['GET /api/v1/menus/{location}'],
  ['GET /api/v1/search', { q: 'hello' }],
  ['GET /api/v1/changes'],
]

const chain = use(() => openFullChain())
beforeAll(async () => {
  // Comments are shown at once: a stranger changes as much as possible.
  const body = { 'comments.require_approval': false }
  expect((await chain.send(adminSite.changeSettings, { body })).status).toBe(200)
})

/** The version by which functions remember public content, and the place of the last change. */
async function stateOf({ table, clock }: FullChain) {
  const place = await findLastPlace({ table, nowMs: clock.nowMs })
  return { version: await findVersion(table), place }
}

async function costsOf({ send, measure }: FullChain) {
  const costs: unknown[] = []
  for (const [name, query = {}] of READS) {
    const { result, used } = await measure(() => send(endpointOf(name), { token: '', query }))
    expect([name, result.status]).toEqual([name, 200])
    costs.push([name, query, used.calls, used.readUnits])
  }
  return costs
}

/** Time stands still for what functions remember, and is past the first moments after a change. */
function remembering() {
  const nowMs = performance.now()
  let laterMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs + laterMs)
  onTestFinished(() => clock.mockRestore())
  return (ms: number) => {
    laterMs += ms
  }
}

describe('what a stranger or a fresh user sends', () => {
  it('is covered for every endpoint that needs no token or an ability that users give themselves', () => {
    expect(WRITES.length).toBeGreaterThan(15)
    expect(WRITES.map(({ name }) => name)).toContain('PATCH /api/v1/me')
  })

  it.each(OPEN)(
    'leaves what functions remember and what reads cost as they were: $name',
    async ({ endpoint }) => {
      const advance = remembering()
      const fresh = await chain.user([...USER_ABILITIES])
      await costsOf(chain)
      advance(1_000)
      await costsOf(chain)
      const costs = await costsOf(chain)
      const before = await stateOf(chain)
      const token = endpoint.ability === null ? '' : fresh.token
      const email = `${fresh.id}@example.com`
      const given = membersOf(endpoint.body).some(([member]) => member === 'email') ? { email } : {}
      for (const name of ['Once', 'Twice']) {
        const members = endpoint === me.changeMe ? { name, avatar: `https://a.example/${name}.png` } : given
        const ask = endpoint.body ? { body: await chain.bodyFor(endpoint, members) } : {}
        const { status, text } = await chain.send(endpoint, { token, ...ask })
        const isWritten = endpoint.method !== 'GET' && !needsMail(endpoint) && name === 'Once'
        if (isWritten && !endpoint.path.includes('{id}') && !endpoint.path.endsWith('/login')) {
          expect([status < 300, text]).toEqual([true, text])
        }
      }
      expect(await stateOf(chain)).toEqual(before)
      expect(await costsOf(chain)).toEqual(costs)
    },
  )

  it('costs readers something when a public post shows the name, so that the check above can fail', async () => {
    const { id, token } = await chain.user(['user'])
    const body = { title: 'By a user', is_published: true, author_id: id }
    expect((await chain.send(adminPosts.createPost, { body })).status).toBe(201)
    const before = await stateOf(chain)
    expect((await chain.send(me.changeMe, { token, body: { name: 'Shown' } })).status).toBe(200)
    expect((await stateOf(chain)).version).not.toEqual(before.version)
  })
})
