// Exports posts and pages with their bodies, each as one version of it.
import { listCachedCategories } from '../../../../shared/categories/store/category-cache.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { Post } from '../../../../shared/posts/post.ts'
import { bodyTextOf, findPostWithBody } from '../../../../shared/posts/store/bodies.ts'
import type { Table } from '../../../../shared/table/client.ts'
import { bodyKey, nameIn, postKey } from '../../../../shared/table/design.ts'
import type { ExportLine } from '../format.ts'
import type { Step } from './step.ts'

async function readPosts(table: Table, ids: number[]): Promise<ExportLine[]> {
  const [items, categories] = await Promise.all([
    table.findMany(ids.flatMap(id => [postKey(id), bodyKey(id)])),
    listCachedCategories(table),
  ])
  const existing = new Set(categories.map(({ id }) => id))
  const byId = Map.groupBy(items, ({ pk }) => Number(nameIn(pk)))
  const lines = await Promise.all(
    ids.map(async id => {
      const ofPost = byId.get(id) ?? []
      const record = ofPost.find(({ sk }) => sk === postKey(id).sk)
      if (!record) return []
      const post = Post.parse(record)
      const body = await bodyTextOf(
        table,
        post,
        ofPost.find(({ sk }) => sk === bodyKey(id).sk),
      )
      // The post was changed between the reads of its items.
      const current = body === undefined ? await findPostWithBody(table, id) : { post, body }
      return current ? [postLine(current.post, current.body, existing)] : []
    }),
  )
  return lines.flat()
}

/** Deleted categories stay in the record until the post is written the next time. */
function postLine(post: Post, body: string, existing: Set<number>): ExportLine {
  return {
    type: 'post',
    id: post.id,
    content_type: post.content_type,
    title: post.title,
    slug: post.slug,
    body,
    short_description: post.short_description,
    excerpt: post.excerpt,
    reading_time: post.reading_time,
    featured_image: post.featured_image,
    author_id: post.author_id,
    category_ids: post.category_ids.filter(id => existing.has(id)),
    seo_title: post.seo_title,
    meta_desc: post.meta_desc,
    is_published: post.is_published,
    posted_at: post.posted_at === null ? null : isoTime(post.posted_at),
    created_at: isoTime(post.created_at),
    updated_at: isoTime(post.updated_at),
    version: post.version,
  }
}

export const POSTS_STEP: Step = { name: 'posts', counter: 'post', atOnce: 50, read: readPosts }
