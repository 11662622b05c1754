// A valid body with all members for every endpoint that takes one. Tests change one member at a time.
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { ENDPOINTS, membersOf } from './endpoints.ts'

const IMAGE = 'https://images.example/picture.png'
const POST = {
  title: 'Title',
  slug: 'a-slug',
  body: '<p>Body</p>',
  short_description: 'Short',
  content_type: 'post',
  is_published: false,
  posted_at: '2026-05-26T15:00:00Z',
  seo_title: 'Title',
  meta_desc: 'Description',
  category_ids: [1],
  featured_image: { thumbnail: IMAGE, medium: IMAGE, large: IMAGE, original: IMAGE },
  author_id: 1,
}
const CATEGORY = { name: 'Category', slug: 'a-category', description: 'Description' }
const WEBHOOK = { name: 'Webhook', url: 'https://hooks.example/', events: ['post.published'] }
const PASSWORDS = { password: 'correct horse', password_confirmation: 'correct horse' }
const EMAIL = 'ada@example.com'
const SITE = 'https://site.example'
const SETTINGS = {
  'general.site_name': 'Site',
  'general.site_tagline': 'Tagline',
  'general.site_description': 'Description',
  'general.contact_email': EMAIL,
  'general.logo_url': `${SITE}/logo.svg`,
  'general.favicon_url': `${SITE}/favicon.ico`,
  'general.timezone': 'Europe/Paris',
  'general.locale': 'en',
  'seo.fallback_image': IMAGE,
  'social.twitter': 'site',
  'social.github': 'site',
  'social.linkedin': 'site',
  'social.facebook': 'site',
  'social.youtube': 'site',
  'social.instagram': 'site',
  'social.discord': 'site',
  'blog.posts_per_page': 12,
  'comments.enabled': true,
  'comments.allow_guest_comments': true,
  'comments.require_approval': true,
  'site.url': SITE,
  'auth.registration_enabled': true,
  'auth.token_lifetime_minutes': 60,
  'maintenance.enabled': false,
  'maintenance.message': 'Back soon.',
}

export type Body = Record<string, unknown>

const BODIES: Record<string, Body> = {
  'POST /api/v1/auth/login': { email: EMAIL, password: 'wrong horse', device_name: 'Laptop' },
  'POST /api/v1/auth/register': { name: 'Ada', email: EMAIL, ...PASSWORDS, device_name: 'Laptop' },
  'POST /api/v1/auth/verify-email': { token: 'token' },
  'POST /api/v1/auth/forgot-password': { email: EMAIL },
  'POST /api/v1/auth/reset-password': { token: 'token', ...PASSWORDS },
  'PATCH /api/v1/me': { name: 'Ada', bio: 'Bio', avatar: IMAGE },
  'POST /api/v1/me/tokens': { name: 'Token', abilities: ['user'] },
  'POST /api/v1/posts/{slug}/comments': {
    author_name: 'Ada',
    author_email: EMAIL,
    body: 'Comment',
    parent_id: null,
  },
  'POST /api/v1/me/comments': { post_id: 1, post_slug: 'a-slug', body: 'Comment', parent_id: null },
  'POST /api/v1/me/tickets': { subject: 'Subject', description: 'Description', priority: 'low' },
  'POST /api/v1/me/tickets/{id}/replies': { body: 'Reply' },
  'POST /api/v1/newsletter/subscribe': { email: EMAIL },
  'POST /api/v1/newsletter/confirm': { token: 'token' },
  'POST /api/v1/newsletter/unsubscribe': { token: 'token' },
  'POST /api/v1/contact': { name: 'Ada', email: EMAIL, subject: 'Subject', message: 'Message' },
  'POST /api/v1/admin/posts': POST,
  'PATCH /api/v1/admin/posts/{id}': POST,
  'POST /api/v1/admin/categories': CATEGORY,
  'PATCH /api/v1/admin/categories/{id}': CATEGORY,
  'POST /api/v1/admin/users/{id}/ban': { reason: 'Reason', until: '2999-01-01T00:00:00Z' },
  'PATCH /api/v1/admin/settings': SETTINGS,
  'PUT /api/v1/admin/menus/{location}': {
    items: [{ label: 'Label', url: '/', target: '_self', children: [{ label: 'Label', url: SITE }] }],
  },
  'POST /api/v1/admin/webhooks': WEBHOOK,
  'PATCH /api/v1/admin/webhooks/{id}': { ...WEBHOOK, is_active: true, secret: undefined },
  'POST /api/v1/admin/tickets/{id}/replies': { body: 'Reply' },
  'PATCH /api/v1/admin/tickets/{id}': { status: 'open', priority: 'low' },
}

/** Throws if the body lacks a member of the declaration, so that tests cover every new member. */
export function fullBodyOf(endpoint: Endpoint): Body {
  const name = `${endpoint.method} ${endpoint.path}`
  const body = BODIES[name] ?? {}
  for (const [member] of membersOf(endpoint.body)) {
    if (!(member in body)) {
      throw new Error(`Add the member ${member} to the body of ${name} in test/world/valid-bodies.ts.`)
    }
  }
  return body
}

export const WITH_BODY = ENDPOINTS.filter(({ endpoint }) => endpoint.body !== null)

/** The paths of all values in a body that match, in nested objects and arrays as well. */
export function pathsIn(value: unknown, matches: (one: unknown) => boolean, path: string[] = []): string[][] {
  const here = matches(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return here
  return here.concat(Object.entries(value).flatMap(([name, one]) => pathsIn(one, matches, [...path, name])))
}

/** A copy of the body with another value at this path. */
export function withAt(body: unknown, [first, ...rest]: string[], value: unknown): unknown {
  if (first === undefined) return value
  const copy: unknown = structuredClone(body)
  const holder = Object(copy)
  holder[first] = withAt(holder[first], rest, value)
  return copy
}

export function valueAt(body: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, name) => Object(value)[name], body)
}
