// Ghost's export: one JSON file with tables of posts, tags and users.
import * as z from 'zod/mini'
import { OperatorError } from '../../operator-error.ts'
import type { CategoryItem, Item, Source, Unusable } from '../item.ts'
import { openSlugs, postItem, secondsOf } from './foreign.ts'
import { categoryItem, userItem } from './foreign-items.ts'
import { readAll } from './lines.ts'

const Id = z.union([z.string(), z.number()])
const text = z.optional(z.nullable(z.string()))
const time = z.optional(z.nullable(z.union([z.string(), z.number()])))
const Links = z._default(
  z.array(z.looseObject({ post_id: Id, sort_order: z.optional(z.nullable(z.number())) })),
  [],
)

const GhostPost = z.object({
  id: Id,
  uuid: text,
  title: text,
  slug: text,
  html: text,
  feature_image: text,
  /** Before version 3. */
  page: z.optional(z.union([z.boolean(), z.number()])),
  type: text,
  status: text,
  visibility: text,
  created_at: time,
  updated_at: time,
  published_at: time,
  custom_excerpt: text,
  meta_title: text,
  meta_description: text,
  /** Before version 2. */
  author_id: z.optional(z.nullable(Id)),
})
type GhostPost = z.infer<typeof GhostPost>

const GhostMeta = z.object({ post_id: Id, meta_title: text, meta_description: text })
const GhostUser = z.object({
  id: Id,
  name: text,
  email: text,
  bio: text,
  profile_image: text,
  created_at: time,
})
const GhostTag = z.object({ id: Id, name: z.string(), slug: text, description: text, visibility: text })

const Data = z.object({
  posts: z.array(GhostPost),
  posts_meta: z._default(z.array(GhostMeta), []),
  users: z._default(z.array(GhostUser), []),
  tags: z._default(z.array(GhostTag), []),
  posts_tags: Links,
  posts_authors: Links,
})
type Data = z.infer<typeof Data>

const Database = z.object({ data: Data })
const Export = z.union([z.object({ db: z.tuple([Database], Database) }), Database])

/** Throws OperatorError if the file is no export of Ghost. */
export async function openGhost(file: string, sourceUrl: string | undefined): Promise<Source> {
  const { data: parsed, error } = Export.safeParse(jsonOf(await readAll(file), file))
  if (!parsed) {
    const [issue] = error.issues
    throw new OperatorError(`${file} is no export of Ghost: ${issue?.path.join('.')} ${issue?.message}`)
  }
  const { data } = 'db' in parsed ? parsed.db[0] : parsed
  return {
    name: 'ghost',
    label: 'an export of Ghost',
    lastIds: {},
    count: data.posts.length + data.users.length + data.tags.length,
    items: async function* () {
      yield* itemsOf(data, sourceUrl?.replace(/\/+$/, '') ?? '')
    },
  }
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new OperatorError(`${file} is no JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/** Tags whose names begin with # are for themes, not for readers. */
function isInternal({ name, visibility }: z.infer<typeof GhostTag>): boolean {
  return visibility === 'internal' || name.startsWith('#')
}

function* itemsOf(data: Data, base: string): Generator<Item | Unusable> {
  for (const { id, name, email, bio, profile_image, created_at } of data.users) {
    yield userItem({
      key: `user:${id}`,
      name: name ?? '',
      email: email ?? '',
      bio: bio ?? null,
      avatar: withBase(profile_image, base) ?? null,
      created_at: secondsOf(created_at),
    })
  }
  const slugOfTag = openSlugs()
  const categories = data.tags
    .filter(tag => !isInternal(tag))
    .map(({ id, name, slug, description }) =>
      categoryItem(
        { key: `category:${id}`, name, slug: slug ?? '', description: description ?? '' },
        slugOfTag,
      ),
    )
  yield* categories
  const authors = linksOf(data.posts_authors, 'author_id', 'user')
  const tags = linksOf(data.posts_tags, 'tag_id', 'category')
  const known = new Set(categories.map(({ key }: CategoryItem) => key))
  const metas = new Map(data.posts_meta.map(meta => [String(meta.post_id), meta]))
  const slugOf = openSlugs()
  for (const post of data.posts) {
    const author = authors.get(String(post.id))?.[0] ?? (post.author_id ? `user:${post.author_id}` : null)
    const ofPost = (tags.get(String(post.id)) ?? []).filter(key => known.has(key))
    const meta = metas.get(String(post.id)) ?? post
    yield postItem({ ...foreignPost(post, base), ...seoOf(meta), author, categories: ofPost }, slugOf)
  }
}

function seoOf({ meta_title, meta_description }: Pick<GhostPost, 'meta_title' | 'meta_description'>) {
  return { seo_title: meta_title ?? '', meta_desc: meta_description ?? '' }
}

/** The keys of what a post is linked with, in Ghost's order. */
function linksOf(links: z.infer<typeof Links>, member: string, kind: string): Map<string, string[]> {
  const sorted = links.toSorted((a, b) => (a.sort_order ?? 0) - (b.sort_order ?? 0))
  const byPost = Map.groupBy(sorted, ({ post_id }) => String(post_id))
  return new Map(
    [...byPost].map(([id, ofPost]) => [id, ofPost.map(link => `${kind}:${String(link[member])}`)]),
  )
}

function foreignPost(post: GhostPost, base: string) {
  const notes: string[] = []
  const isForAll = (post.visibility ?? 'public') === 'public'
  const isPublished = post.status === 'published' || post.status === 'scheduled'
  if (isPublished && !isForAll) notes.push('It was for members only, so it is a draft.')
  if (post.status === 'sent') notes.push('It was only sent as a mail, so it is a draft.')
  if (!post.html) notes.push('It has no HTML in the export.')
  const published = secondsOf(post.published_at)
  return {
    // Ghost before version 1 numbered its posts, so that only the uuid differs between sites.
    key: `post:${post.uuid ?? post.id}`,
    title: post.title ?? '',
    slug: post.slug ?? '',
    body: withBase(post.html, base) ?? '',
    description: post.custom_excerpt ?? '',
    content_type:
      post.type === 'page' || post.page === true || post.page === 1 ? ('page' as const) : ('post' as const),
    image: withBase(post.feature_image, base),
    is_published: isPublished && isForAll,
    posted_at: published,
    created_at: secondsOf(post.created_at),
    updated_at: secondsOf(post.updated_at),
    notes,
  }
}

/** Ghost writes this for its own address. */
function withBase(text: string | null | undefined, base: string): string | undefined {
  return text?.replaceAll('__GHOST_URL__', base) || undefined
}
