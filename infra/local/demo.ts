// Demo content of the first start: enough for every public endpoint to return something.
import { createUser, EmailTaken } from '../../shared/accounts/commands/users.ts'
import { createCategory } from '../../shared/categories/commands.ts'
import { findCategoryIdBySlug } from '../../shared/categories/store.ts'
import type { Sender } from '../../shared/events/sqs.ts'
import { startUnitOfWork } from '../../shared/events/unit-of-work.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import { saveMenu } from '../../shared/site/commands/menus.ts'
import { MenuInput, menuFrom } from '../../shared/site/menu.ts'
import type { Table } from '../../shared/table/client.ts'

const DEMO_CATEGORIES = [
  { name: 'News', slug: 'news', description: 'What is new.' },
  { name: 'Guides', slug: 'guides', description: 'How to do it.' },
]

/** A second user, who has no password and cannot log in. */
const DEMO_USER = {
  name: 'Grace',
  email: 'grace@example.com',
  email_verified: true,
  password_hash: null,
}

const DEMO_MENUS = {
  main: [
    { label: 'Blog', url: '/blog', children: [{ label: 'News', url: '/blog/news' }] },
    { label: 'About', url: '/about' },
  ],
  footer: [{ label: 'Contact', url: '/contact' }],
}

const DAY_SECONDS = 86_400

/** Posted `daysAgo` days before the start; `null` means a draft. */
const DEMO_POSTS = [
  {
    title: 'Hello, world',
    slug: 'hello-world',
    body: '<h2>It works</h2><p>This post came from the demo content of your first start. Change it, or start again with <code>--empty</code>.</p>',
    categories: ['news'],
    daysAgo: 0,
  },
  {
    title: 'Write with the admin API',
    slug: 'write-with-the-admin-api',
    body: '<p>POST to <code>/api/v1/admin/posts</code> with your admin token. The answer lists all errors of a body together.</p>',
    categories: ['guides'],
    daysAgo: 1,
  },
  {
    title: 'Subscribe to every change',
    slug: 'subscribe-to-every-change',
    body: '<p>Subscribe a URL to <code>*</code> and it receives a signed POST for each event, at most once.</p>',
    categories: ['guides', 'news'],
    daysAgo: 2,
  },
  {
    title: 'Not finished yet',
    slug: 'not-finished-yet',
    body: '<p>Only the admin API shows this draft.</p>',
    categories: ['guides'],
    daysAgo: null,
  },
  {
    title: 'About',
    slug: 'about',
    content_type: 'page' as const,
    body: '<p>A page. Pages are listed by title, posts by date.</p>',
    categories: [],
    daysAgo: 3,
  },
]

/** Drops events, because a first start has no webhook subscriptions; the posts are merged at the end. */
const DROPPING: Sender = { send: async messages => messages.map(() => ({ ok: true })) }

/** Writes what is missing of the demo content. */
export async function writeDemo(table: Table, userId: number, baseUrl: string): Promise<void> {
  const nowMs = Date.now()
  const work = startUnitOfWork({
    table,
    sender: DROPPING,
    nowMs,
    requestId: 'demo',
    siteUrl: async () => baseUrl,
    log: String,
  })
  for (const category of DEMO_CATEGORIES) await ignoreExisting(createCategory(work, category))
  for (const { categories, daysAgo, ...post } of DEMO_POSTS) {
    const ids = await Promise.all(categories.map(slug => findCategoryIdBySlug(work.table, slug)))
    const posted_at = daysAgo === null ? null : work.nowSeconds - daysAgo * DAY_SECONDS
    const category_ids = ids.flatMap(id => id ?? [])
    await ignoreExisting(
      createPost(work, { ...post, category_ids, posted_at, is_published: posted_at !== null }, userId),
    )
  }
  for (const [location, items] of Object.entries(DEMO_MENUS)) {
    await saveMenu(work, menuFrom(location, MenuInput.parse({ items })))
  }
  await createUser(work.table, DEMO_USER, work.nowSeconds).catch(error => {
    if (!(error instanceof EmailTaken)) throw error
  })
  await updateIndex({ table, clock: () => nowMs, log: () => undefined })
}

/** A taken slug means that an interrupted start has already created this item. */
async function ignoreExisting(creating: Promise<unknown>): Promise<void> {
  await creating.catch(error => {
    if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') throw error
  })
}
