// The posts that the clients build, generated or from a file, as an export that a fresh service imports.
import { readFile, writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod/mini'
import { FORMAT, FORMAT_VERSION } from '../../infra/operator/import-export/format.ts'
import { openSite } from '../bench/site.ts'

const ClientPost = z.object({ slug: z.string(), title: z.string(), body: z.string(), posted_at: z.string() })
export type ClientPost = z.infer<typeof ClientPost>

const SEED = 1
const AT = '2026-01-01T00:00:00Z'

function generatedPosts(count: number): ClientPost[] {
  const site = openSite({ count, seed: SEED, scheduled: 0 })
  return Array.from({ length: count }, (_, index) => {
    const { slug, title, body, posted_at } = site.post(index + 1).input
    // What a template or React would change, if it did not take the body as it is.
    const marked = `${body}<p>Grüße &amp; {{ braces }} of ${slug}</p>`
    const at = new Date(posted_at * 1000).toISOString()
    return { slug, title: `${title} & “more”`, body: marked, posted_at: at }
  })
}

/** `file`: posts of a real site, one JSON object a line. */
export async function openContent(count: number, file?: string): Promise<ClientPost[]> {
  if (file === undefined) return generatedPosts(count)
  const bytes = await readFile(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  const lines = text.split('\n').filter(line => line !== '')
  return lines.slice(0, count).map(line => ClientPost.parse(JSON.parse(line)))
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
