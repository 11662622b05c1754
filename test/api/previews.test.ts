// Preview tokens: what each shows, to whom, and until when.
import { describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString()

function change(id: number, body: Record<string, unknown>) {
  return world.call(adminPosts.changePost, { token: world.admin, params: { id }, body })
}

async function previewOf(id: number, body?: { expires_in: number }) {
  const options = { token: world.admin, params: { id }, ...(body && { body }) }
  const { data } = await world.call(adminPosts.createPreview, options)
  return { ...data, headers: { 'Preview-Token': data.token } }
}

describe('POST /api/v1/admin/posts/{id}/preview', () => {
  it('returns a token for an hour, or for as long as is asked, up to a week', async () => {
    const { id } = await world.create.post()
    const lifetimeOf = async (body?: { expires_in: number }) => {
      const before = Date.now()
      const { expires_at, url } = await previewOf(id, body)
      expect(url).toBeNull()
      return Math.abs(Date.parse(expires_at) - before) / 1000
    }
    expect(await lifetimeOf()).toBeGreaterThan(3_590)
    expect(await lifetimeOf({ expires_in: 604_800 })).toBeGreaterThan(604_790)
    for (const expires_in of [59, 604_801, 60.5, '60', null]) {
      const request = { token: world.admin, params: { id }, body: { expires_in } }
      const { status, fields } = await world.call(adminPosts.createPreview, request)
      expect([status, Object.keys(fields ?? {})]).toEqual([422, ['expires_in']])
    }
  })

  it('fills in the address of the site, percent-encoded', async () => {
    const set = (value: string | null) =>
      world.call(adminSite.changeSettings, { token: world.admin, body: { 'site.preview_url': value } })
    await set('https://a.example/{content_type}/{slug}?id={id}&token={token}&other={other}')
    const { id } = await world.create.post({ slug: 'größe-1', content_type: 'page' })
    const { url, token: made } = await previewOf(id)
    const slug = encodeURIComponent('größe-1')
    expect(url).toBe(`https://a.example/page/${slug}?id=${id}&token=${made}&other={other}`)
    expect((await set('nowhere/{token}')).status).toBe(422)
    await set(null)
  })
})

describe('GET /api/v1/preview', () => {
  it('shows the record as it is now, in each of its states, to no cache and no search engine', async () => {
    const { id } = await world.create.post({ title: 'First', body: '<p>One</p>' })
    const { headers } = await previewOf(id)
    const shown = async () => {
      const answer = await world.call(posts.getPreview, { headers })
      const told = ['cache-control', 'x-robots-tag'].map(name => answer.headers.get(name))
      expect(told).toEqual(['no-store', 'noindex'])
      return answer.data
    }
    expect(await shown()).toMatchObject({ id, title: 'First', body: '<p>One</p>', status: 'draft' })
    await change(id, { title: 'Second', posted_at: IN_AN_HOUR, is_published: true })
    expect(await shown()).toMatchObject({ title: 'Second', status: 'scheduled' })
    await change(id, { posted_at: null, content_type: 'page' })
    expect(await shown()).toMatchObject({ content_type: 'page', status: 'published' })
  })
})

describe('DELETE /api/v1/admin/posts/{id}/preview', () => {
  it('makes the tokens of this post void, and no others', async () => {
    const [one, other] = [await world.create.post(), await world.create.post()]
    const [ofOne, ofOther] = [await previewOf(one.id), await previewOf(other.id)]
    const status = async (headers: Record<string, string>) =>
      (await world.call(posts.getPreview, { headers })).status
    const made = await world.call(adminPosts.deletePreviews, { token: world.admin, params: { id: one.id } })
    expect([made.status, made.data]).toEqual([200, {}])
    expect([await status(ofOne.headers), await status(ofOther.headers)]).toEqual([404, 200])
    // A later change of the record leaves them void, and a new token is valid.
    await change(one.id, { title: 'Changed' })
    expect(await status(ofOne.headers)).toBe(404)
    expect(await status((await previewOf(one.id)).headers)).toBe(200)
  })
})

describe.each([
  ['GET /api/v1/posts/{slug}', posts.getPost, 'post', posts.getPage],
  ['GET /api/v1/pages/{slug}', posts.getPage, 'page', posts.getPost],
] as const)('%s with a Preview-Token', (_, endpoint, content_type, elsewhere) => {
  it('shows the hidden record that the token is for, under its latest slug', async () => {
    const { id, slug } = await world.create.post({ content_type })
    const { headers } = await previewOf(id)
    const params = { slug: `${slug}-renamed` }
    expect((await world.call(endpoint, { params, headers })).status).toBe(404)
    await change(id, params)
    const shown = await world.call(endpoint, { params, headers })
    expect([shown.data.id, shown.headers.get('cache-control')]).toEqual([id, 'no-store'])
    expect(shown.headers.get('x-robots-tag')).toBe('noindex')
    expect((await world.call(endpoint, { params: { slug }, headers })).status).toBe(404)
    expect((await world.call(elsewhere, { params, headers })).status).toBe(404)
    expect((await world.call(endpoint, { params })).status).toBe(404)
    const deleted = await world.call(adminPosts.deletePost, { token: world.admin, params: { id } })
    expect([deleted.status, (await world.call(endpoint, { params, headers })).status]).toEqual([200, 404])
  })

  it('answers as without it to a public record, and to a token of another one', async () => {
    const live = await world.create.livePost({ content_type })
    const hidden = await world.create.post({ content_type })
    const plain = await world.call(endpoint, { params: { slug: live.slug } })
    for (const { headers } of [await previewOf(live.id), await previewOf(hidden.id)]) {
      const answer = await world.call(endpoint, { params: { slug: live.slug }, headers })
      expect([answer.text, answer.headers.get('etag')]).toEqual([plain.text, plain.headers.get('etag')])
      expect(answer.headers.get('cache-control')).toBe('public, no-cache')
    }
    const { headers } = await previewOf(live.id)
    expect((await world.call(endpoint, { params: { slug: hidden.slug }, headers })).status).toBe(404)
  })
})
