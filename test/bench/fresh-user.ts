// A user who has just registered, written as much as the service takes, and follows links of mails.
import * as z from 'zod/mini'
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { newResetToken, newVerifyToken } from '../../shared/accounts/mails.ts'
import { hashPassword } from '../../shared/accounts/password.ts'
import { USER_ABILITIES } from '../../shared/http/audience.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { subscriberToken } from '../../shared/newsletter/mails.ts'
import type { CallOptions } from '../support/call.ts'
import { endpointOf } from '../support/endpoints.ts'
import { type CountedService, PRIVATE_KEY } from './counted-service.ts'
import { bodiesOf } from './dearest-requests.ts'
import type { Targets } from './rows.ts'

/** Tickets, their replies and comments. At most 20 comments of a user are pending. */
const WRITTEN = { tickets: 100, replies: 100, comments: 20 }
const PASSWORD = 'the password of the fresh user'
const MENU = Array.from({ length: 200 }, () => ({ label: 'L'.repeat(255), url: `/${'u'.repeat(2_000)}` }))
const Created = z.object({ data: z.object({ id: z.int() }) })

export async function openFreshUser({ table, nowSeconds, call }: CountedService, targets: Targets) {
  let count = 0
  const password_hash = await hashPassword(PASSWORD)
  const newEmail = () => `${'x'.repeat(50)}${++count}@${'y'.repeat(60)}.example`
  const register = async () => {
    const profile = { name: 'Fresh', email: newEmail(), email_verified: false, password_hash }
    const user = await createUser(table, profile, nowSeconds)
    const about = { user_id: user.id, name: 'x', abilities: [...USER_ABILITIES] }
    const { action, text } = await newToken(table, about, nowSeconds)
    await table.transact([action])
    return { user, token: text }
  }
  const writer = await register()

  const linkTo = async (path: string) => {
    if (path.includes('/newsletter/')) return subscriberToken(PRIVATE_KEY, 1)
    const { user } = await register()
    return (path.endsWith('/reset-password') ? newResetToken : newVerifyToken)(PRIVATE_KEY, user, nowSeconds)
  }
  const send = async (endpoint: Endpoint, ask: CallOptions) => {
    const token = endpoint.audience === 'admin' ? targets.token : writer.token
    const result = await call(endpoint, { ...(endpoint.audience !== 'public' && { token }), ...ask })
    if (result.status < 500) return result
    throw new Error(`${endpoint.method} ${endpoint.path} answered ${result.status} ${result.text}`)
  }
  const create = async (name: string, ask: CallOptions) => {
    const { text, status } = await send(endpointOf(name), ask)
    if (status < 300) return Created.safeParse(JSON.parse(text)).data?.data.id ?? 0
    throw new Error(`${name} answered ${status} ${text}`)
  }
  let ticket = 0
  const paramsOf = async ({ path }: Endpoint): Promise<Record<string, string | number>> => {
    if (path.includes('{location}')) return { location: 'main' }
    if (path.includes('/pages/{slug}')) return { slug: targets.page }
    if (path.includes('/categories/{slug}')) return { slug: targets.category }
    if (path.includes('{slug}')) return { slug: targets.slug }
    if (!path.includes('{id}')) return {}
    if (path.includes('/tickets/')) return { id: ticket }
    return { id: await create('POST /api/v1/me/tokens', { body: { name: 'x', abilities: ['user'] } }) }
  }
  /** The request with values that exist, and new ones where each may be used once. */
  const withValues = async (endpoint: Endpoint, ask: CallOptions): Promise<CallOptions> => {
    const { path, method } = endpoint
    const params = await paramsOf(endpoint)
    if (ask.body === undefined) return { ...ask, params }
    const body: Record<string, unknown> = { ...Object(ask.body) }
    if ('email' in body) body.email = newEmail()
    if ('token' in body) body.token = await linkTo(path)
    if ('post_id' in body) Object.assign(body, { post_id: targets.id, post_slug: undefined })
    // The padded one has a wrong password.
    if (path.endsWith('/auth/login')) {
      Object.assign(body, { email: writer.user.email }, body.padding === undefined && { password: PASSWORD })
    }
    const isOfOther = endpoint.audience === 'user' && method !== 'GET' && !path.includes('{id}')
    return { ...ask, params, body, ...(isOfOther && { token: (await register()).token }) }
  }
  /** Fills the lists of the user, and one ticket, with texts as long as they may be. */
  const writeAll = async () => {
    await create('PUT /api/v1/admin/menus/{location}', {
      params: { location: 'main' },
      body: { items: MENU },
    })
    for (const [what, times] of Object.entries(WRITTEN)) {
      const path = what === 'replies' ? '/api/v1/me/tickets/{id}/replies' : `/api/v1/me/${what}`
      const [largest] = bodiesOf(endpointOf(`POST ${path}`))
      const body = what === 'comments' ? { ...largest, post_id: targets.id, post_slug: undefined } : largest
      for (let n = 0; n < times; n++) {
        const params = { ...(what === 'replies' && { id: ticket }) }
        const id = await create(`POST ${path}`, { body, params })
        if (what === 'tickets') ticket = id
      }
    }
  }
  await writeAll()
  return { send, withValues, token: writer.token }
}
