// Compares the API with a hand-written list of its paths and events, so that none gets lost.
import { describe, expect, it } from 'vitest'
import { BATCH_EVENT, EVENT_NAMES, EVENTS } from '../../shared/events/catalogue.ts'
import { apiDocument } from '../../shared/openapi/document.ts'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import { Settings } from '../../shared/site/settings.ts'

/** Each address with its methods. */
const PATHS = `
GET /api/v1/health
GET /api/v1/settings/public
GET /api/v1/menus/{location}
GET PATCH /api/v1/admin/settings
GET /api/v1/admin/menus
GET PUT DELETE /api/v1/admin/menus/{location}
GET /api/v1/posts
GET /api/v1/posts/{slug}
GET /api/v1/posts/{slug}/related
GET /api/v1/search
GET /api/v1/changes
GET POST /api/v1/posts/{slug}/comments
GET /api/v1/pages
GET /api/v1/pages/{slug}
GET /api/v1/preview
GET /api/v1/categories
GET /api/v1/categories/{slug}
GET /api/v1/categories/{slug}/posts
POST /api/v1/auth/login
POST /api/v1/auth/register
POST /api/v1/auth/verify-email
POST /api/v1/auth/forgot-password
POST /api/v1/auth/reset-password
POST /api/v1/auth/logout
GET PATCH /api/v1/me
POST /api/v1/me/verify-email
GET POST /api/v1/me/tokens
DELETE /api/v1/me/tokens/{id}
GET POST /api/v1/me/comments
GET POST /api/v1/admin/posts
GET PATCH DELETE /api/v1/admin/posts/{id}
POST /api/v1/admin/posts/{id}/publish
POST /api/v1/admin/posts/{id}/unpublish
POST DELETE /api/v1/admin/posts/{id}/preview
POST /api/v1/admin/batch
GET POST /api/v1/admin/categories
GET PATCH DELETE /api/v1/admin/categories/{id}
GET /api/v1/admin/comments
POST /api/v1/admin/comments/{id}/approve
POST /api/v1/admin/comments/{id}/reject
DELETE /api/v1/admin/comments/{id}
GET /api/v1/admin/users
GET /api/v1/admin/users/{id}
POST /api/v1/admin/users/{id}/ban
POST /api/v1/admin/users/{id}/unban
GET POST /api/v1/admin/webhooks
GET PATCH DELETE /api/v1/admin/webhooks/{id}
POST /api/v1/admin/webhooks/{id}/test
POST /api/v1/admin/webhooks/{id}/rotate-secret
GET /api/v1/admin/webhooks/{id}/deliveries
GET /api/v1/admin/webhooks/{id}/deliveries/{delivery_id}
POST /api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver
POST /api/v1/admin/webhooks/{id}/redeliver
GET POST /api/v1/me/tickets
GET /api/v1/me/tickets/{id}
POST /api/v1/me/tickets/{id}/replies
POST /api/v1/me/tickets/{id}/reopen
GET /api/v1/admin/tickets
GET PATCH /api/v1/admin/tickets/{id}
POST /api/v1/admin/tickets/{id}/replies
POST /api/v1/newsletter/subscribe
POST /api/v1/newsletter/confirm
POST /api/v1/newsletter/unsubscribe
GET POST DELETE /api/v1/me/newsletter
GET /api/v1/admin/newsletter
DELETE /api/v1/admin/newsletter/{id}
POST /api/v1/contact
GET /api/v1/admin/contact
DELETE /api/v1/admin/contact/{id}
`

const EVENTS_OF_THE_CONTRACT = `
post.published post.updated post.deleted post.unpublished page.published comment.created comment.approved
newsletter.subscribed newsletter.unsubscribed user.registered user.logged-in user.banned ticket.created
ticket.replied ticket.status-changed contact.submitted test.ping
`

const document = apiDocument('1.0.0')

function words(text: string): string[] {
  return text.trim().split(/\s+/).sort()
}

const endpoints = PATHS.trim()
  .split('\n')
  .flatMap(line => {
    const [path = '', ...methods] = line.split(' ').reverse()
    return methods.map(method => `${method} ${path}`)
  })
  .sort()

describe('the API', () => {
  it('declares exactly the endpoints of the list', () => {
    const declared = Object.values(API_FUNCTIONS).flatMap(({ endpoints }) => Object.values(endpoints))
    expect(declared.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(endpoints)
  })

  it('describes exactly the endpoints of the list in its document', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    )
    expect(described.sort()).toEqual(endpoints)
  })

  it('has exactly the events of the list, and describes each in its document', () => {
    expect(EVENT_NAMES.toSorted()).toEqual(words(EVENTS_OF_THE_CONTRACT))
    const described = Object.keys(document.webhooks).filter(name => name !== BATCH_EVENT)
    expect(described.sort()).toEqual(words(EVENTS_OF_THE_CONTRACT))
  })

  it('fires every event of the catalogue and no other, and requires only existing settings', () => {
    const all = Object.values(API_FUNCTIONS).flatMap(({ endpoints }) => Object.values(endpoints))
    const emitted = new Set(all.flatMap(({ emits }) => emits))
    const required = all.flatMap(({ requires }) => requires.map(({ setting }) => setting))
    expect([...emitted].sort()).toEqual(EVENT_NAMES.toSorted())
    expect(Object.keys(Settings.shape)).toEqual(expect.arrayContaining(required))
  })

  it.each(EVENT_NAMES)('has a sample of %s that matches its schema', name => {
    const { data, sample } = EVENTS[name]
    expect(data.parse(sample)).toEqual(sample)
  })
})
