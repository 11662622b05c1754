// What each example needs before it can be sent: records, and their real ids and tokens in place of its own.
import type { CallOptions } from '../world/call.ts'
import type { Records } from './example-records.ts'

/** `body`: members to replace in that of the example. */
export type Replacement = Pick<CallOptions, 'params' | 'token'> & { body?: Record<string, unknown> }
type Prepare = (records: Records) => Promise<Replacement>

/** Creates records, and replaces nothing. */
function after(...makers: ((records: Records) => Promise<unknown>)[]): Prepare {
  return async records => {
    for (const make of makers) await make(records)
    return {}
  }
}

function withId(make: (records: Records) => Promise<{ id: number }>): Prepare {
  return async records => ({ params: { id: (await make(records)).id } })
}

/** As a user, and not as the owner. */
function asAda(prepare: Prepare = async () => ({})): Prepare {
  return async records => ({ ...(await prepare(records)), token: (await records.ada()).token })
}

const hello = after(records => records.hello())
const about = after(records => records.about())
const mainMenu = after(records => records.menu('main'))
const post = withId(records => records.hello())
const draft = withId(records => records.draft())
const category = withId(records => records.given.category())
const comment = withId(records => records.comment())
const ticket = withId(records => records.ticket())
const webhook = withId(records => records.webhook())
const subscriber = withId(records => records.subscribed())
const user = withId(records => records.given.user())

const READERS: Record<string, Prepare> = {
  'GET /settings/public': after(records => records.named()),
  'GET /menus/{location}': mainMenu,
  'GET /posts': hello,
  'GET /posts/{slug}': hello,
  'GET /posts/{slug}/related': hello,
  'GET /pages': about,
  'GET /pages/{slug}': about,
  'GET /search': after(records => records.indexed()),
  'GET /categories': hello,
  'GET /categories/{slug}': hello,
  'GET /categories/{slug}/posts': hello,
  'GET /posts/{slug}/comments': after(records => records.approvedComment()),
  'POST /posts/{slug}/comments': hello,
  'POST /auth/login': async records => ({
    body: { email: await records.registered(), password: records.password },
  }),
  'POST /auth/verify-email': async records => ({ body: { token: await records.verificationToken() } }),
  'POST /auth/reset-password': async records => ({ body: { token: await records.resetToken() } }),
  'POST /auth/logout': async records => ({ token: (await records.given.user()).token }),
  'POST /newsletter/confirm': async records => ({ body: { token: (await records.pending()).token } }),
  'POST /newsletter/unsubscribe': async records => ({ body: { token: (await records.subscribed()).token } }),
}

const USERS: Record<string, Prepare> = {
  'GET /me': asAda(),
  'PATCH /me': asAda(),
  'POST /me/verify-email': asAda(),
  'GET /me/tokens': asAda(),
  'POST /me/tokens': asAda(),
  'DELETE /me/tokens/{id}': asAda(withId(records => records.ownToken())),
  'GET /me/comments': asAda(comment),
  'POST /me/comments': asAda(async records => ({ body: { post_id: (await records.hello()).id } })),
  'GET /me/newsletter': asAda(),
  'POST /me/newsletter': asAda(),
  'DELETE /me/newsletter': asAda(),
  'GET /me/tickets': asAda(ticket),
  'POST /me/tickets': asAda(),
  'GET /me/tickets/{id}': asAda(ticket),
  'POST /me/tickets/{id}/replies': asAda(ticket),
  'POST /me/tickets/{id}/reopen': asAda(withId(records => records.resolvedTicket())),
}

const ADMINS: Record<string, Prepare> = {
  'GET /admin/posts': hello,
  'GET /admin/posts/{id}': post,
  'PATCH /admin/posts/{id}': async records => ({
    params: { id: (await records.draft()).id },
    body: { category_ids: (await records.hello()).category_ids },
  }),
  'DELETE /admin/posts/{id}': draft,
  'POST /admin/posts/{id}/publish': draft,
  'POST /admin/posts/{id}/unpublish': draft,
  'GET /admin/categories': hello,
  'GET /admin/categories/{id}': category,
  'PATCH /admin/categories/{id}': category,
  'DELETE /admin/categories/{id}': category,
  'GET /admin/users/{id}': user,
  'POST /admin/users/{id}/ban': user,
  'POST /admin/users/{id}/unban': user,
  'GET /admin/menus': mainMenu,
  'GET /admin/menus/{location}': mainMenu,
  'DELETE /admin/menus/{location}': after(records => records.menu('footer')),
  'GET /admin/comments': comment,
  'POST /admin/comments/{id}/approve': comment,
  'POST /admin/comments/{id}/reject': comment,
  'DELETE /admin/comments/{id}': comment,

  'GET /admin/webhooks': webhook,
  'GET /admin/webhooks/{id}': webhook,
  'PATCH /admin/webhooks/{id}': webhook,
  'DELETE /admin/webhooks/{id}': webhook,
  'POST /admin/webhooks/{id}/test': webhook,
  'GET /admin/tickets': ticket,
  'GET /admin/tickets/{id}': ticket,
  'POST /admin/tickets/{id}/replies': ticket,
  'PATCH /admin/tickets/{id}': ticket,
  'GET /admin/newsletter': subscriber,
  'DELETE /admin/newsletter/{id}': subscriber,
  'GET /admin/contact': after(records => records.message()),
  'DELETE /admin/contact/{id}': withId(records => records.message()),
}

/** Examples that are not listed are sent as they are. */
export const PREPARE: Record<string, Prepare> = { ...READERS, ...USERS, ...ADMINS }
