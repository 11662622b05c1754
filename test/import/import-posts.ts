// Imports posts through the admin API: categories first, then each post with its slug, date and body.
import * as z from 'zod/mini'
import type { Client } from './client.ts'
import type { SourcePost } from './source.ts'

const POSTS_AT_ONCE = 8
const Category = z.object({ id: z.int(), name: z.string(), slug: z.string() })

/** Can be repeated safely: every POST has an idempotency key derived from the slug or the name. */
export async function importPosts(
  { need }: Client,
  posts: SourcePost[],
  progress: (slug: string, done: number) => void,
): Promise<Map<string, string>> {
  const categories = new Map<string, z.infer<typeof Category>>()
  for (const name of new Set(posts.map(({ category }) => category))) {
    const options = { body: { name }, idempotencyKey: `category-${name}` }
    categories.set(name, await need(Category, 'POST', 'admin/categories', options))
  }

  const queue = posts.values()
  let done = 0
  const worker = async () => {
    for (const { title, slug, category, posted_at, body } of queue) {
      const category_ids = [categories.get(category)?.id]
      const post = { title, slug, body, posted_at, category_ids, is_published: true }
      await need(z.unknown(), 'POST', 'admin/posts', { body: post, idempotencyKey: `post-${slug}` })
      progress(slug, ++done)
    }
  }
  await Promise.all(Array.from({ length: POSTS_AT_ONCE }, worker))
  return new Map([...categories].map(([name, { slug }]) => [name, slug]))
}
