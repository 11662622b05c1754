// The rules of posts and pages: what a change does to one, when it is public, what the feed notes. No I/O.
import * as z from 'zod/mini'
import type { PostNote } from '../feed/note.ts'
import { sha256 } from '../table/design.ts'
import { ContentType, Image, NO_TEXTS, type PostChange, type PostInput, PostTexts } from './fields.ts'
import { excerptOf, readingTimeOf, textOf } from './html-text.ts'

/** Times are in epoch seconds. `revision` counts every write, `version` every change that a caller made. */
export const Post = z.object({
  id: z.int(),
  title: z.string(),
  slug: z.string(),
  excerpt: z.string(),
  short_description: z.string(),
  content_type: ContentType,
  featured_image: Image,
  author_id: z.int(),
  category_ids: z.array(z.int()),
  reading_time: z.int(),
  posted_at: z.nullable(z.int()),
  ...PostTexts.shape,
  is_published: z.boolean(),
  created_at: z.int(),
  updated_at: z.int(),
  version: z.int(),
  /** The version in which the body last changed, and its digest. */
  body_version: z.int(),
  body_sha256: z.string(),
  /** Whether the event of its publication has been fired. */
  announced: z.boolean(),
  revision: z.int(),
  /** How often its preview tokens were made void. */
  preview_epoch: z.optional(z.int()),
  schema: z.int(),
})
export type Post = z.infer<typeof Post>

/** The copy of a post in its lists. */
export const PostEntry = z.omit(Post, { announced: true, revision: true, preview_epoch: true })
export type PostEntry = z.infer<typeof PostEntry>

/** The members that decide which public lists a post is in, and where. */
export const PublicEntry = z.pick(PostEntry, {
  id: true,
  title: true,
  is_published: true,
  posted_at: true,
  content_type: true,
  category_ids: true,
})
export type PublicEntry = z.infer<typeof PublicEntry>

type Status = 'draft' | 'scheduled' | 'published'

export function statusOf(post: Pick<Post, 'is_published' | 'posted_at'>, nowSeconds: number): Status {
  if (!post.is_published) return 'draft'
  return post.posted_at !== null && post.posted_at > nowSeconds ? 'scheduled' : 'published'
}

/** A post is live if it is published and due. */
export function isLive(post: Pick<Post, 'is_published' | 'posted_at'>, nowSeconds: number): boolean {
  return statusOf(post, nowSeconds) === 'published'
}

type PostIdentity = { id: number; slug: string; authorId: number; nowSeconds: number }

export function newPost(input: PostInput, { id, slug, authorId, nowSeconds }: PostIdentity): Post {
  const body = input.body ?? ''
  const blank: Post = {
    id,
    title: input.title,
    slug,
    excerpt: '',
    short_description: '',
    content_type: 'post',
    featured_image: {},
    author_id: authorId,
    category_ids: [],
    reading_time: 1,
    posted_at: null,
    ...NO_TEXTS,
    is_published: false,
    created_at: nowSeconds,
    updated_at: nowSeconds,
    version: 0,
    body_version: 0,
    body_sha256: '',
    announced: false,
    revision: 0,
    schema: 1,
  }
  return applyChange(blank, { ...input, slug, body }, body, nowSeconds)
}

/** Returns `post` itself if the change makes no difference. `body` is the new body, else the stored one. */
export function applyChange(post: Post, change: PostChange, body: string, nowSeconds: number): Post {
  const { body: newBody, featured_image, slug, category_ids, ...members } = withoutUndefined(change)
  const after: Post = {
    ...post,
    ...members,
    ...(slug && { slug }),
    ...(category_ids && { category_ids: [...new Set(category_ids)] }),
    ...(featured_image !== undefined && { featured_image: featured_image ?? {} }),
  }
  if (after.is_published) after.posted_at ??= nowSeconds
  const isNewBody = newBody !== undefined && sha256(newBody) !== post.body_sha256
  if (isNewBody || after.short_description !== post.short_description) {
    const text = textOf(body)
    after.excerpt = after.short_description || excerptOf(text)
    after.reading_time = readingTimeOf(text)
  }
  if (isNewBody) after.body_sha256 = sha256(newBody)
  if (isSame(post, after)) return post
  return withNewVersion(
    { ...after, body_version: isNewBody ? post.version + 1 : post.body_version },
    nowSeconds,
  )
}

function withNewVersion(post: Post, nowSeconds: number): Post {
  return {
    ...post,
    version: post.version + 1,
    // After a conflict, the request may have started before the change that it now follows.
    updated_at: Math.max(nowSeconds, post.updated_at),
    announced: isLive(post, nowSeconds),
  }
}

function isSame(a: Post, b: Post): boolean {
  return canonical(a) === canonical(b)
}

function canonical(post: Post): string {
  return JSON.stringify({
    ...post,
    category_ids: post.category_ids.toSorted((a, b) => a - b),
    featured_image: Object.entries(post.featured_image).sort(),
  })
}

function withoutUndefined<T extends object>(value: T): T {
  const copy = { ...value }
  for (const name of Object.keys(copy)) {
    if (Reflect.get(copy, name) === undefined) Reflect.deleteProperty(copy, name)
  }
  return copy
}

/** A post is public at a path if it is live and of the path's content type. */
export function isPublic(post: Post, type: ContentType, nowSeconds: number): boolean {
  return post.content_type === type && isLive(post, nowSeconds)
}

/** Undefined if no reader sees the change: drafts and scheduled posts are no public content. */
export function noteOf(before: Post | null, after: Post | null, nowSeconds: number): PostNote | undefined {
  const [was, is] = [livePost(before, nowSeconds), livePost(after, nowSeconds)]
  const id = was?.id ?? is?.id
  if (id === undefined) return undefined
  const [left, entered] = [was, is].map(post => new Set(post ? categoriesOf(post) : []))
  return {
    kind: 'post',
    id,
    ...(is && { type: is.content_type }),
    ...(was && { was: { type: was.content_type, slug: was.slug } }),
    counted: left && entered ? [...left.symmetricDifference(entered)] : [],
  }
}

/** The note of a scheduled post that has become due. */
export function dueNote(post: Post): PostNote {
  return { kind: 'post', id: post.id, type: post.content_type, counted: categoriesOf(post) }
}

function livePost(post: Post | null, nowSeconds: number): Post | null {
  return post && isLive(post, nowSeconds) ? post : null
}

/** Categories count posts, and no pages. */
function categoriesOf({ content_type, category_ids }: Post): number[] {
  return content_type === 'post' ? category_ids : []
}
