// The posts that the clients build, as an export that a fresh service imports.
import { writeFile } from 'node:fs/promises'
import { FORMAT, FORMAT_VERSION } from '../../infra/operator/import-export/format.ts'
import { openSite } from '../bench/site.ts'

export type ClientPost = { slug: string; title: string; body: string; posted_at: string }

const AT = '2026-01-01T00:00:00Z'

export function generatedPosts(count: number): ClientPost[] {
  const site = openSite({ count, seed: 1, scheduled: 0 })
  return Array.from({ length: count }, (_, index) => {
    const { slug, title, body, posted_at } = site.post(index + 1).input
    // What a template or React would change, if it did not take the body as it is.
    const marked = `${body}<p>Grüße &amp; {{ braces }} of ${slug}</p>`
    return {
      slug,
      title: `${title} & “more”`,
      body: marked,
      posted_at: new Date(posted_at * 1000).toISOString(),
    }
  })
}

export async function writeExport(path: string, posts: ClientPost[]): Promise<void> {
  const user = { type: 'user', id: 1, name: 'Ada', email: 'ada@example.com', email_verified: true }
  const lines = [
    {
      ...{ type: 'header', format: FORMAT, version: FORMAT_VERSION, service: '1.0.0', site: 'clients' },
      ...{ exported_at: AT, last_ids: {} },
    },
    { ...user, avatar: null, bio: null, ban: null, created_at: AT },
    ...posts.map(({ slug, title, body, posted_at }, index) => ({
      ...{ type: 'post', id: index + 1, content_type: 'post', title, slug, body, short_description: '' },
      ...{ featured_image: {}, author_id: 1, category_ids: [], seo_title: '', meta_desc: '' },
      ...{ is_published: true, posted_at, created_at: posted_at, updated_at: posted_at },
    })),
  ]
  const end = { type: 'end', records: lines.length - 1 }
  await writeFile(path, [...lines, end].map(line => `${JSON.stringify(line)}\n`).join(''))
}
