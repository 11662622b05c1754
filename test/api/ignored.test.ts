// An endpoint ignores unknown members and parameters, and lists them in a header.
import { describe, expect, it } from 'vitest'
import { auth } from '../../shared/accounts/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

describe('X-Ignored', () => {
  it('lists unknown parameters, even with 304', async () => {
    const query = { sort: 'title', page: 1, updated_since: '2026-01-01' }
    const { headers } = await world.call(posts.listPosts, { query })
    expect(headers.get('X-Ignored')).toBe('sort, updated_since')
    const ifChanged = { 'If-None-Match': headers.get('ETag') ?? '' }
    const again = await world.call(posts.listPosts, { query, headers: ifChanged })
    expect([again.status, again.headers.get('X-Ignored')]).toEqual([304, 'sort, updated_since'])
  })

  it('lists unknown members of a body by their path', async () => {
    const large = 'https://a.example/x.png'
    const body = { title: 'T', titel: 'T', featured_image: { large, huge: large } }
    const answer = await world.call(adminPosts.createPost, { token: world.admin, body, query: { sort: 1 } })
    expect([answer.status, answer.headers.get('X-Ignored')]).toEqual([
      201,
      'sort, titel, featured_image.huge',
    ])
    const items = [{ label: 'L', url: '/', class: 'x', children: [{ label: 'L', url: '/', icon: 'y' }] }]
    const params = { location: 'main' }
    const menu = await world.call(adminSite.putMenu, { token: world.admin, params, body: { items } })
    expect([menu.status, menu.headers.get('X-Ignored')]).toEqual([
      200,
      'items.0.class, items.0.children.0.icon',
    ])
  })

  it('lists unknown members of a request that fails', async () => {
    const { status, headers } = await world.call(auth.login, { body: { mail: 'a', password: 'b' } })
    expect([status, headers.get('X-Ignored')]).toEqual([422, 'mail'])
  })

  it('lists unknown members of a replayed request', async () => {
    const request = {
      token: world.admin,
      headers: { 'Idempotency-Key': 'ignored-1' },
      body: { title: 'T', titel: 'T' },
    }
    await world.call(adminPosts.createPost, request)
    const { headers } = await world.call(adminPosts.createPost, request)
    expect([headers.get('Idempotent-Replayed'), headers.get('X-Ignored')]).toEqual(['true', 'titel'])
  })

  it('has at most ten names, each of at most 60 characters that a header can carry', async () => {
    const long = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}-${'é\r\n"'.repeat(50)}`, 1]))
    const { headers } = await world.call(adminPosts.createPost, {
      token: world.admin,
      body: { ...long, title: 'T' },
    })
    const names = (headers.get('X-Ignored') ?? '').split(', ')
    expect(names).toEqual(Array.from({ length: 10 }, (_, n) => `${n}-${'_'.repeat(58)}`))
  })

  it('is missing if there are no unknown names, and for settings, whose unknown members are faults', async () => {
    const body = { 'general.site_name': 7, unknown: 1 }
    const list = await world.call(posts.listPosts, { query: { page: 1, per_page: 5 } })
    const settings = await world.call(adminSite.changeSettings, { token: world.admin, body })
    for (const { headers } of [list, settings]) expect(headers.get('X-Ignored')).toBeNull()
    expect(Object.keys(settings.fields ?? {}).sort()).toEqual(['general.site_name', 'unknown'])
  })
})

describe('PATCH /api/v1/admin/webhooks/{id}', () => {
  it('returns 422 for a secret, and says how to get another one', async () => {
    const { id } = await world.create.webhook('https://a.example/')
    const request = { token: world.admin, params: { id }, body: { name: 'New', secret: 'whsec_mine' } }
    const { status, fields } = await world.call(adminWebhooks.changeWebhook, request)
    const rotate = 'Cannot be set. Get a new one: POST /api/v1/admin/webhooks/{id}/rotate-secret'
    expect([status, fields]).toEqual([422, { secret: [rotate] }])
  })
})
