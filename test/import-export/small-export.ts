// A small export with records of every kind that an import writes, as lines of JSON.
import { writeFile } from 'node:fs/promises'

const AT = '2024-05-01T10:00:00+00:00'

function post(id: number, members: Record<string, unknown> = {}) {
  return {
    type: 'post',
    id,
    content_type: 'post',
    title: `Post ${id}`,
    slug: `post-${id}`,
    body: `<p>Words of number ${id}.</p>`,
    short_description: '',
    featured_image: {},
    author_id: 1,
    category_ids: [1 + (id % 2)],
    seo_title: '',
    meta_desc: '',
    is_published: true,
    posted_at: AT,
    created_at: AT,
    updated_at: AT,
    version: 3,
    ...members,
  }
}

function comment(id: number, parent_id: number | null) {
  const guest = { name: 'A guest', email: 'guest@example.com' }
  const common = { post_id: 1, user_id: null, guest, status: 'approved', created_at: AT }
  return { type: 'comment', id, parent_id, body: `Comment ${id}`, ...common }
}

export function smallExport(posts: number): unknown[] {
  const reply = {
    type: 'reply',
    ticket_id: 1,
    author_id: 1,
    body: 'A reply.',
    is_staff: true,
    created_at: AT,
  }
  return [
    {
      type: 'header',
      format: 'headless-content-service',
      version: 1,
      service: '1.0.0',
      site: 'small',
      exported_at: AT,
      last_ids: { post: posts + 2, category: 2, user: 1, comment: 2, ticket: 1, 'ticket-reply': 2 },
    },
    { type: 'settings', values: { 'general.site_name': 'Small' } },
    {
      type: 'menu',
      location: 'main',
      items: [{ label: 'Blog', url: '/blog', target: '_self', children: [] }],
    },
    { type: 'category', id: 1, name: 'One', slug: 'one', description: '', version: 1 },
    { type: 'category', id: 2, name: 'Two', slug: 'two', description: '', version: 1 },
    {
      type: 'user',
      id: 1,
      name: 'Ada',
      email: 'ada@example.com',
      email_verified: true,
      avatar: null,
      bio: null,
      ban: null,
      created_at: AT,
    },
    ...Array.from({ length: posts }, (_, n) => post(n + 1)),
    post(posts + 1, { content_type: 'page', category_ids: [] }),
    post(posts + 2, { is_published: false, posted_at: null }),
    comment(1, null),
    comment(2, 1),
    {
      type: 'ticket',
      id: 1,
      user_id: 1,
      subject: 'The door',
      description: 'It does not open.',
      priority: 'low',
      status: 'resolved',
      created_at: AT,
      updated_at: AT,
    },
    { ...reply, id: 1 },
    { ...reply, id: 2 },
    {
      type: 'subscriber',
      id: 1,
      email: 'reader@example.com',
      status: 'subscribed',
      subscribed_at: AT,
      unsubscribed_at: null,
      created_at: AT,
    },
    {
      type: 'submission',
      id: 1,
      name: 'Ada',
      email: 'ada@example.com',
      subject: null,
      message: 'Hello.',
      created_at: AT,
    },
    { type: 'end', records: posts + 14 },
  ]
}

export async function writeExport(file: string, lines: unknown[]): Promise<void> {
  await writeFile(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
}
