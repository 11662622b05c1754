// Demo content of the first start: enough for every public endpoint to return something.
export const DEMO_CATEGORIES = [
  { name: 'News', slug: 'news', description: 'What is new.' },
  { name: 'Guides', slug: 'guides', description: 'How to do it.' },
]

/** A second user, who has no password and cannot log in. */
export const DEMO_USER = {
  name: 'Grace',
  email: 'grace@example.com',
  email_verified: true,
  password_hash: null,
}

export const DEMO_MENUS = {
  main: [
    { label: 'Blog', url: '/blog', children: [{ label: 'News', url: '/blog/news' }] },
    { label: 'About', url: '/about' },
  ],
  footer: [{ label: 'Contact', url: '/contact' }],
}

const DAY_SECONDS = 86_400

/** Posted `daysAgo` days before the start; `null` means a draft. */
export const DEMO_POSTS = [
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

export function postedAt(daysAgo: number | null, nowSeconds: number): number | null {
  return daysAgo === null ? null : nowSeconds - daysAgo * DAY_SECONDS
}
