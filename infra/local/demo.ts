// Demo content of a first start: a little of everything, so that every read has something to show.
export const DEMO_CATEGORIES = [
  { name: 'News', slug: 'news', description: 'What is new.' },
  { name: 'Guides', slug: 'guides', description: 'How to do it.' },
]

const DAY_SECONDS = 86_400

/** `daysAgo` before the start; `null` is a draft. */
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
    body: '<p>POST to <code>/api/v1/admin/posts</code> with your admin token. Every fault of a body comes back in one answer.</p>',
    categories: ['guides'],
    daysAgo: 1,
  },
  {
    title: 'Hear of every change',
    slug: 'hear-of-every-change',
    body: '<p>Subscribe a URL to <code>*</code> and it gets a signed POST for each event, at most once.</p>',
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
    body: '<p>A page: listed by title, not by date.</p>',
    categories: [],
    daysAgo: 3,
  },
]

export function postedAt(daysAgo: number | null, nowSeconds: number): number | null {
  return daysAgo === null ? null : nowSeconds - daysAgo * DAY_SECONDS
}
