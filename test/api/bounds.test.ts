// The lengths and numbers of the contract, written by hand: the schema of each member keeps to them exactly.
import { describe, expect, it } from 'vitest'
import { endpointOf, membersOf } from '../support/endpoints.ts'

/** The most characters of each text. */
const LONGEST: Record<string, Record<string, number>> = {
  'POST /auth/register': { name: 255, password: 200, device_name: 255 },
  'POST /auth/reset-password': { password: 200 },
  'PATCH /me': { name: 255, bio: 500 },
  'POST /me/tokens': { name: 255 },
  'POST /me/comments': { body: 5_000 },
  'POST /posts/{slug}/comments': { author_name: 100, body: 5_000 },
  'POST /me/tickets': { subject: 255, description: 10_000 },
  'POST /me/tickets/{id}/replies': { body: 10_000 },
  'POST /admin/tickets/{id}/replies': { body: 10_000 },
  'POST /contact': { name: 255, subject: 255, message: 10_000 },
  'POST /admin/posts': { title: 255, short_description: 500, seo_title: 60, meta_desc: 155 },
  'PATCH /admin/posts/{id}': { title: 255, short_description: 500, seo_title: 60, meta_desc: 155 },
  'POST /admin/categories': { name: 100, description: 1_000 },
  'PATCH /admin/categories/{id}': { name: 100, description: 1_000 },
  'POST /admin/users/{id}/ban': { reason: 500 },
  'POST /admin/webhooks': { name: 255 },
  'PATCH /admin/webhooks/{id}': { name: 255 },
}
const SHORTEST: Record<string, Record<string, number>> = {
  'POST /auth/register': { name: 1, password: 8 },
  'POST /auth/reset-password': { password: 8 },
  'POST /posts/{slug}/comments': { author_name: 1, body: 1 },
  'POST /me/tickets': { subject: 1, description: 1 },
  'POST /contact': { name: 1, message: 1 },
  'POST /admin/posts': { title: 1 },
}
const RANGES: Record<string, Record<string, [least: number, most: number]>> = {
  'POST /admin/webhooks/{id}/rotate-secret': { overlap_hours: [0, 168] },
  'PATCH /admin/settings': {
    'blog.posts_per_page': [1, 100],
    'auth.token_lifetime_minutes': [1, 52_560_000],
  },
}
/** Values that are nearly right. */
const REFUSED: Record<string, Record<string, unknown[]>> = {
  'POST /auth/register': { email: ['ada@', 'no address', 7, null] },
  'PATCH /me': {
    name: [null, ' '],
    avatar: ['', '/ada.png', 'javascript:alert(1)', 'https://a:b@a.example/'],
  },
  'POST /contact': { email: ['nobody', null] },
  'POST /posts/{slug}/comments': {
    author_email: ['', 'ada', 'a da@example.com'],
    parent_id: [0, -1, 1.5, 'x'],
  },
  'POST /admin/webhooks/{id}/rotate-secret': { overlap_hours: [1.5, '24', null] },
  'PATCH /admin/posts/{id}': {
    title: [null, '\u3000', 'a\ud800b'],
    slug: [null, 'a b', '\udc00', 'x'.repeat(201)],
    body: [null, { html: '' }, '<p>\ud83d</p>'],
    content_type: [null, '', 'Post'],
    is_published: [null, 1, 'true'],
    posted_at: ['', '2026-02-29', '2026-05-26T24:01', 'May 26, 2026', 1_780_000_000],
    author_id: [null, '1'],
    category_ids: [null, 1, ['1'], [1.5], [0], Array.from({ length: 13 }, (_, n) => n + 1)],
    featured_image: [
      [],
      'https://a.example/x.png',
      { large: null },
      { medium: '/x.png' },
      { original: 'data:image/png;base64,AA' },
      { thumbnail: `https://a.example/${'x'.repeat(500)}` },
    ],
  },
}

function casesOf<T>(table: Record<string, Record<string, T>>) {
  return Object.entries(table).flatMap(([name, members]) => {
    const { body } = endpointOf(name.replace(' ', ' /api/v1'))
    const schemas = new Map(membersOf(body))
    return Object.entries(members).map(([member, bound]) => {
      const schema = schemas.get(member)
      if (!schema) throw new Error(`The body of ${name} has no ${member}.`)
      return { name, member, bound, accepts: (value: unknown) => schema.safeParse(value).success }
    })
  })
}

describe('the body of', () => {
  it.each(casesOf(LONGEST))('$name has a $member of at most $bound code points', ({ bound, accepts }) => {
    expect([bound, bound + 1].map(length => accepts('🚀'.repeat(length)))).toEqual([true, false])
  })

  it.each(casesOf(SHORTEST))('$name has a $member of at least $bound code points', ({ bound, accepts }) => {
    expect([bound, bound - 1].map(length => accepts('🚀'.repeat(length)))).toEqual([true, false])
  })

  it.each(casesOf(RANGES))('$name has a $member of $bound', ({ bound: [least, most], accepts }) => {
    expect([least - 1, least, most, most + 1].map(accepts)).toEqual([false, true, true, false])
  })

  it.each(casesOf(REFUSED))('$name has a $member that is none of $bound', ({ bound, accepts }) => {
    expect(bound.filter(accepts)).toEqual([])
  })
})
