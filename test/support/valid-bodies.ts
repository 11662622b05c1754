// A valid body with all members for every endpoint that takes one. Tests change one member at a time.
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { membersOf as textsOf } from '../../shared/http/members.ts'
import { ENDPOINTS, membersOf } from './endpoints.ts'

type Body = Record<string, unknown>

const IMAGE = 'https://images.example/picture.png'
const SITE = 'https://site.example'
const POST = {
  content_type: 'post',
  is_published: false,
  featured_image: { thumbnail: IMAGE, medium: IMAGE, large: IMAGE, original: IMAGE },
  author_id: 1,
}

const SETTINGS = {
  'general.site_tagline': 'Tagline',
  'general.site_description': 'Description',
  'general.contact_email': 'ada@example.com',
  'general.logo_url': `${SITE}/logo.svg`,
  'general.favicon_url': `${SITE}/favicon.ico`,
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
  'auth.registration_enabled': true,
  'auth.token_lifetime_minutes': 60,
  'maintenance.enabled': false,
  'maintenance.message': 'Back soon.',
}

/** Members for which neither the endpoint's example nor their description has a value, or only null. */
const OTHERS: Record<string, Body> = {
  'POST /api/v1/posts/{slug}/comments': { parent_id: null },
  'POST /api/v1/me/comments': { parent_id: null },
  'POST /api/v1/me/tickets': { priority: 'low' },
  'POST /api/v1/admin/posts': POST,
  'PATCH /api/v1/admin/posts/{id}': POST,
  'POST /api/v1/admin/users/{id}/ban': { until: '2999-01-01T00:00:00Z' },
  'PATCH /api/v1/admin/settings': SETTINGS,
  'PUT /api/v1/admin/menus/{location}': {
    items: [{ label: 'Label', url: '/', target: '_self', children: [{ label: 'Label', url: SITE }] }],
  },
  'PATCH /api/v1/admin/webhooks/{id}': { secret: undefined },
  'PATCH /api/v1/admin/tickets/{id}': { priority: 'low' },
}

/** The values that the texts of the body's members show. */
function describedBody({ body }: Endpoint): Body {
  const described = Object.entries((body && textsOf(body)) ?? {})
  return Object.fromEntries(
    described.flatMap(([name, [, , ...examples]]) => (examples.length > 0 ? [[name, examples[0]]] : [])),
  )
}

/** Throws if the body lacks a member of the declaration, so that tests cover every new member. */
export function fullBodyOf(endpoint: Endpoint): Body {
  const name = `${endpoint.method} ${endpoint.path}`
  const body = { ...describedBody(endpoint), ...Object(endpoint.example.body), ...OTHERS[name] }
  for (const [member] of membersOf(endpoint.body)) {
    if (!(member in body)) {
      throw new Error(`${name}: give ${member} a value in the example of the endpoint or of the member.`)
    }
  }
  return body
}

export const WITH_BODY = ENDPOINTS.filter(({ endpoint }) => endpoint.body !== null)

/** The paths of all values in a body that match, in nested objects and arrays as well. */
export function pathsIn(
  value: unknown,
  matches: (member: unknown) => boolean,
  path: string[] = [],
): string[][] {
  const here = matches(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return here
  return here.concat(
    Object.entries(value).flatMap(([name, member]) => pathsIn(member, matches, [...path, name])),
  )
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
