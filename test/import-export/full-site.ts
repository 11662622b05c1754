// A site with records of every kind in every state, and all that the API answers about it.
import * as z from 'zod/mini'
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import { contact } from '../../shared/contact/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { commentWorld } from '../support/comment-world.ts'
import { newsletterWorld } from '../support/newsletter-world.ts'
import { noise } from '../support/noise.ts'
import { ticketWorld } from '../support/ticket-world.ts'
import { until } from '../support/until.ts'
import type { World } from '../support/world.ts'

const DAY_MS = 86_400_000

const Answer = z.object({ data: z.optional(z.any()), pagination: z.optional(z.any()), message: z.string() })

export async function fillSite(world: World): Promise<void> {
  const { admin: token, create } = world
  await world.call(adminSite.changeSettings, {
    token,
    body: {
      'general.site_name': 'Full',
      'comments.allow_guest_comments': true,
      'site.url': 'https://full.example',
    },
  })
  await world.call(adminSite.putMenu, {
    token,
    params: { location: 'main' },
    body: { items: [{ label: 'Blog', url: '/blog', children: [{ label: 'News', url: '/blog/news' }] }] },
  })
  const categories = [
    await create.category({ name: 'News', description: 'What is new.' }),
    await create.category({ name: 'Été', slug: 'été' }),
  ]
  const removed = await create.category()
  const [author, banned] = [await create.user({ password: 'a password' }), await create.user()]
  await world.call(adminUsers.banUser, { token, params: { id: banned.id }, body: { reason: 'Spam' } })
  const posts = await createPosts(world, [...categories.map(({ id }) => id), removed.id], author.id)
  await world.call(adminCategories.deleteCategory, { token, params: { id: removed.id } })
  await createCommunity(world, posts)
  await until('nothing to be left to do', () => world.isIdle())
}

async function createPosts(world: World, ids: number[], author_id: number): Promise<string[]> {
  const { create, admin: token } = world
  const slugs: string[] = []
  for (let n = 0; n < 15; n++) {
    const post = await create.livePost({
      title: `Number ${n} — 東京 🚀`,
      category_ids: ids.filter((_, c) => (n + c) % 2 === 0),
      posted_at: new Date(Date.UTC(2020, 0, 1 + Math.floor(n / 2))).toISOString(),
      body: `<h2>Words</h2><p>Every post has shared and word${n}.</p>`,
      ...(n % 3 === 0 && { author_id }),
      ...(n % 4 === 0 && { short_description: 'Shortly.', seo_title: 'SEO', meta_desc: 'Meta' }),
      ...(n % 5 === 0 && { featured_image: { large: 'https://images.example.com/l.jpg' } }),
    })
    slugs.push(post.slug)
  }
  await create.livePost({ title: 'Large', slug: 'large-東京', body: `<p>shared ${noise(400_000)}</p>` })
  await create.livePost({ title: 'About', slug: 'about', content_type: 'page', body: '<p>shared page</p>' })
  await create.livePost({
    posted_at: new Date(Date.now() + 30 * DAY_MS).toISOString(),
    category_ids: [ids[0]],
  })
  await create.post({ title: 'A draft' })
  const gone = await create.livePost({ title: 'Deleted' })
  await commentWorld(world).submit(gone.slug)
  await world.call(adminPosts.deletePost, { token, params: { id: gone.id } })
  return slugs
}

async function createCommunity(world: World, [first = '', second = '']: string[]): Promise<void> {
  const comments = commentWorld(world)
  const root = await comments.submitApproved(first)
  const reply = await comments.submitApproved(first, { parent_id: root.id, body: 'A reply.\nIn two lines.' })
  await comments.submitApproved(first, { parent_id: reply.id, body: 'Below.' })
  await comments.submit(second)
  const rejected = await comments.submitApproved(second, { body: 'No.' })
  await comments.submitApproved(second, { parent_id: rejected.id, body: 'Hidden.' })
  await comments.reject(rejected.id)
  const deleted = await comments.submitApproved(second)
  await comments.remove(deleted.id)

  const tickets = ticketWorld(world)
  const { token } = await tickets.person()
  const { id } = await tickets.open(token, { priority: 'high' })
  await tickets.staff.reply(id)
  await tickets.reply(token, id)
  await tickets.staff.change(id, { status: 'resolved' })
  await tickets.open(token)

  const newsletter = newsletterWorld(world)
  await newsletter.pending()
  const { token: link } = await newsletter.subscribed()
  await newsletter.unsubscribe(link)
  await newsletter.subscribed()
  await world.call(contact.submitContact, {
    body: { name: 'Ada', email: 'ada@example.com', message: 'Hello.\nYours' },
  })
  await world.create.webhook('https://example.com/hook')
  await world.create.webhook('https://example.com/build', {
    ...{ quiet_seconds: 30, max_wait_seconds: 300 },
    headers: { Authorization: 'Bearer of the builder' },
    body: { z: '{{cursor}}', a: ['{{payload}}', null] },
  })
}

const LISTS = ['posts', 'pages', 'categories/news/posts', 'categories/%C3%A9t%C3%A9/posts']
const WHOLE = ['categories', 'settings/public', 'menus/main', 'menus/footer']
const SEARCHES = ['shared', 'word1', 'page', 'number 東京', 'zzz']
const ADMIN_LISTS = ['posts', 'users', 'comments', 'tickets', 'newsletter', 'contact']

/** What readers and admins get of the whole site, by path. */
export async function answersOf(world: World): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>()
  const get = async (path: string) => {
    const headers = path.startsWith('admin/') ? { Authorization: `Bearer ${world.admin}` } : undefined
    const response = await fetch(`${world.baseUrl}/api/v1/${path}`, headers && { headers })
    const { data, pagination, message } = Answer.parse(await response.json())
    answers.set(path, { status: response.status, data: comparable(path, data), pagination, message })
    return Array.isArray(data) ? data : []
  }
  for (const path of [...LISTS.flatMap(pagesOf), ...WHOLE]) await get(path)
  for (const q of SEARCHES) {
    await get(`search?q=${encodeURIComponent(q)}`)
    await get(`posts?q=${encodeURIComponent(q)}`)
  }
  for (const { slug } of await get('posts?per_page=100')) {
    const path = `posts/${encodeURIComponent(slug)}`
    for (const part of ['', '/related', '/comments']) await get(`${path}${part}`)
  }
  for (const list of ADMIN_LISTS) await get(`admin/${list}?per_page=100`)
  for (const { id } of await get('admin/tickets?status=resolved')) await get(`admin/tickets/${id}`)
  await get('admin/posts?drafts_only=true')
  await get(WEBHOOKS)
  return answers
}

function pagesOf(list: string): string[] {
  return [`${list}?per_page=4`, `${list}?per_page=4&page=2`, `${list}?per_page=50&include=body`]
}

const WEBHOOKS = 'admin/webhooks'

/** Each service has an owner of its own, registered at another time. An imported subscription begins anew. */
function comparable(path: string, data: unknown): unknown {
  if (!Array.isArray(data)) return data
  if (path === WEBHOOKS) {
    return data.map(({ is_active, headers, total_deliveries, failed_deliveries, ...hook }) => hook)
  }
  return path.startsWith('admin/users') ? data.filter(({ id }) => id !== 1) : data
}
