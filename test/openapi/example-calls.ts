// The examples that need more than the records of their path, or other values than those that they show.
import { auth } from '../../shared/accounts/contract.ts'
import { changes } from '../../shared/changes/contract.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/posts/search-contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import type { CallOptions } from '../support/call.ts'
import { newsletterWorld } from '../support/newsletter-world.ts'
import type { Records } from '../support/records.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import type { World } from '../support/world.ts'
import { rawSubscriber } from '../webhooks/servers.ts'

/** `body`: members to replace in the body of the example. */
export type Replacement = Pick<CallOptions, 'params' | 'token' | 'query' | 'headers'> & {
  body?: Record<string, unknown>
}

const PASSWORD = 'the password before'

export function exampleCalls(world: World, records: Records): Record<string, () => Promise<Replacement>> {
  const { admin, call, create, mailTo, unique } = world
  const { pending, subscribed } = newsletterWorld(world)

  const register = async () => {
    const email = `${unique('someone').replace(' ', '')}@example.com`
    await call(auth.register, { body: { name: 'Someone', email, password: PASSWORD } })
    return email
  }
  const resetToken = async () => {
    const email = await register()
    await call(auth.forgotPassword, { body: { email } })
    return (await mailTo(email, 2)).token
  }
  const findsHello = async () => (await call(search.search, { query: { q: 'hello' } })).data.total > 0
  /** Without an image, like the post of the example. */
  const draft = async () => {
    const { id: category } = await create.category()
    return { params: { id: (await create.post({ category_ids: [category] })).id } }
  }

  /** A post with an image in a category, and a page. */
  const changedSince = async () => {
    const post = await records.create('posts')
    const page = await records.create('pages')
    const since = (await call(changes.listChanges)).cursor.next ?? ''
    const change = (id: unknown, body: Record<string, unknown>) =>
      call(adminPosts.changePost, { token: admin, params: { id: Number(id) }, body })
    await change(post.id, { slug: unique('renamed').replace(' ', '-') })
    await change(page.id, { is_published: false })
    return since
  }

  return {
    'GET /changes': async () => ({ query: { since: await changedSince(), include: 'item' } }),
    'GET /posts/{slug}/related': async () => {
      await records.create('posts')
      return {}
    },
    'GET /preview': async () => {
      const { id } = await records.create('posts')
      const made = await call(adminPosts.createPreview, { token: admin, params: { id: Number(id) } })
      return { headers: { 'Preview-Token': made.data.token } }
    },
    'GET /search': async () => {
      await records.share('posts')
      await until('the post to be found', findsHello)
      return {}
    },
    'GET /settings/public': async () => {
      await call(adminSite.changeSettings, { token: admin, body: { 'general.site_name': 'Example' } })
      return {}
    },
    'POST /auth/login': async () => ({ body: { email: await register(), password: PASSWORD } }),
    'POST /auth/verify-email': async () => ({ body: { token: (await mailTo(await register())).token } }),
    'POST /auth/reset-password': async () => ({ body: { token: await resetToken() } }),
    'POST /auth/logout': async () => ({ token: await create.token(world.owner.id, [...ABILITIES]) }),
    'POST /newsletter/confirm': async () => ({ body: { token: (await pending()).token } }),
    'POST /newsletter/unsubscribe': async () => ({ body: { token: (await subscribed()).token } }),
    'POST /me/tickets/{id}/reopen': async () => {
      const { id } = await records.act('PATCH /api/v1/admin/tickets/{id}', await records.create('tickets'))
      return { params: { id: Number(id) } }
    },
    'PATCH /admin/posts/{id}': draft,
    'POST /admin/posts/{id}/publish': draft,
    'POST /admin/posts/{id}/unpublish': draft,
    'POST /admin/webhooks/{id}/test': async () => ({
      params: { id: (await create.webhook((await openSubscriber()).url)).id },
    }),
    'GET /admin/webhooks/{id}/deliveries/{delivery_id}': async () => {
      const answer = 'HTTP/1.1 500 Oh\r\nContent-Type: text/plain\r\n\r\nInternal Server Error'
      const { port } = await rawSubscriber(socket => void socket.end(answer))
      const { id } = await create.webhook(`http://127.0.0.1:${port}/`)
      await call(adminWebhooks.testWebhook, { token: admin, params: { id } })
      const { data } = await call(adminWebhooks.listDeliveries, { token: admin, params: { id } })
      return { params: { id, delivery_id: data[0]?.id ?? '' } }
    },
  }
}
