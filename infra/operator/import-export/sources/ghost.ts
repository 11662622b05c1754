// Ghost's export: one JSON file with tables of posts, tags and users. Each row is read by itself.
import * as z from 'zod/mini'
import { OperatorError } from '../../command.ts'
import { type ForeignPost, openCollector } from './foreign.ts'
import { absoluteUrl, htmlOf } from './html.ts'
import type { SourceOptions } from './open-source.ts'
import { problemOf, type Source } from './source.ts'
import { decode, readBytes } from './text-file.ts'
import { secondsOf } from './time.ts'

const Id = z.union([z.string(), z.number()])
const text = z.optional(z.nullable(z.string()))
const time = z.optional(z.nullable(z.union([z.string(), z.number()])))

const GhostPost = z.object({
  id: Id,
  uuid: text,
  title: text,
  slug: text,
  html: text,
  lexical: text,
  mobiledoc: text,
  markdown: text,
  feature_image: text,
  /** Before version 1, as of users. */
  image: text,
  /** Before version 3. */
  page: z.optional(z.nullable(z.union([z.boolean(), z.number()]))),
  type: text,
  status: text,
  visibility: text,
  created_at: time,
  updated_at: time,
  published_at: time,
  custom_excerpt: text,
  meta_title: text,
  meta_description: text,
  canonical_url: text,
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
  image: text,
  created_at: time,
})
const GhostTag = z.object({ id: Id, name: z.string(), slug: text, description: text, visibility: text })
const GhostLink = z.looseObject({ post_id: Id, sort_order: z.optional(z.nullable(z.number())) })

const rows = z.optional(z.nullable(z.array(z.unknown())))
const Data = z.object({
  posts: z.array(z.unknown()),
  posts_meta: rows,
  users: rows,
  tags: rows,
  posts_tags: rows,
  posts_authors: rows,
})
const Database = z.object({ data: Data })
const Export = z.union([z.object({ db: z.tuple([Database], z.unknown()) }), Database])

const BROKEN = '\ufffd'

/** Throws OperatorError if the file is no export of Ghost. */
export async function openGhost(file: string, { sourceUrl, nowSeconds }: SourceOptions): Promise<Source> {
  const { text, brokenAt } = decode(await readBytes(file), 'UTF-8')
  const { data: parsed, error } = Export.safeParse(jsonOf(text, file))
  if (!parsed) throw new OperatorError(`${file} is no export of Ghost: ${problemOf(error)}`)
  const { data } = 'db' in parsed ? parsed.db[0] : parsed
  const collector = openCollector(nowSeconds)
  /** The rows of a table that have their form. */
  const read = <T>(
    table: string,
    kind: string,
    all: unknown[] | null | undefined,
    schema: z.ZodMiniType<T>,
  ): T[] =>
    (all ?? []).flatMap((row, n) => {
      const { data, error } = schema.safeParse(row)
      const isBroken = brokenAt !== undefined && JSON.stringify(row).includes(BROKEN)
      if (data && !isBroken) return [data]
      const label = `${table}.${n}`
      const problem = isBroken
        ? 'It has bytes that are not UTF-8.'
        : error
          ? `${label}.${problemOf(error)}`
          : ''
      collector.leaveOut({ kind, label, problem, isWrong: true })
      return []
    })
  const base = sourceUrl?.replace(/\/+$/, '')
  const users = read('users', 'user', data.users, GhostUser)
  const nameOfUser = new Map(users.map(({ id, name }) => [`user:${id}`, name ?? '']))
  for (const { id, name, email, bio, profile_image, image, created_at } of users) {
    collector.addUser({
      key: `user:${id || `#${email}`}`,
      name: name ?? '',
      email: email ?? '',
      bio: bio ?? '',
      avatar: imageOf(profile_image ?? image, base),
      created_at: secondsOf(created_at),
    })
  }
  for (const { id, name, slug, description, visibility } of read('tags', 'category', data.tags, GhostTag)) {
    // Tags whose names begin with # are for themes, not for readers.
    if (visibility === 'internal' || name.startsWith('#')) continue
    collector.addCategory({
      key: `category:${id || `#${slug}`}`,
      name,
      slug: slug ?? '',
      description: description ?? '',
    })
  }
  const links = (table: string, all: unknown[] | null | undefined, member: string, kind: string) =>
    linksOf(read(table, 'link', all, GhostLink), member, kind)
  const authors = links('posts_authors', data.posts_authors, 'author_id', 'user')
  const tags = links('posts_tags', data.posts_tags, 'tag_id', 'category')
  const metas = new Map(
    read('posts_meta', 'meta', data.posts_meta, GhostMeta).map(meta => [String(meta.post_id), meta]),
  )
  for (const post of read('posts', 'post', data.posts, GhostPost)) {
    const id = String(post.id)
    const [author = post.author_id ? `user:${post.author_id}` : null, ...others] = authors.get(id) ?? []
    const foreign = foreignPost({ ...post, ...metas.get(id), id: post.id }, base)
    const names = others.map(key => nameOfUser.get(key) || key)
    if (names.length > 0) foreign.notes.push(`It also has the authors ${names.join(', ')}.`)
    collector.addPost({ ...foreign, author, categories: tags.get(id) ?? [] })
  }
  return {
    name: 'ghost',
    label: 'an export of Ghost',
    count: collector.count(),
    entries: collector.entries,
  }
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `${file} is no whole JSON: ${cause.slice(0, 200)}. Export again: nothing was imported.`,
    )
  }
}

/** The keys of what a post is linked with, in Ghost's order. */
function linksOf(links: z.infer<typeof GhostLink>[], member: string, kind: string): Map<string, string[]> {
  const sorted = links.toSorted((a, b) => (a.sort_order ?? 0) - (b.sort_order ?? 0))
  const byPost = Map.groupBy(sorted, ({ post_id }) => String(post_id))
  return new Map(
    [...byPost].map(([id, ofPost]) => [id, ofPost.map(link => `${kind}:${String(link[member])}`)]),
  )
}

function foreignPost(post: GhostPost, base: string | undefined): ForeignPost {
  const notes: string[] = []
  const isForAll = (post.visibility ?? 'public') === 'public'
  const isPublished = post.status === 'published' || post.status === 'scheduled'
  if (isPublished && !isForAll) notes.push('It was for members only, so it is a draft.')
  if (post.status === 'sent') notes.push('It was only sent as a mail, so it is a draft.')
  const slug = post.slug ?? ''
  const body = bodyOf(post, notes)
  if (body === undefined && isPublished && isForAll) notes.push('It is a draft.')
  return {
    // Ghost before version 1 numbered its posts, so that only the uuid differs between sites.
    key: `post:${post.uuid || post.id || `#${slug}`}`,
    title: post.title ?? '',
    slug,
    body: (body ?? '').replaceAll('__GHOST_URL__', base ?? ''),
    description: post.custom_excerpt ?? '',
    content_type: post.type === 'page' || post.page === true || post.page === 1 ? 'page' : 'post',
    image: imageOf(post.feature_image ?? post.image, base),
    author: null,
    categories: [],
    seo_title: post.meta_title ?? '',
    meta_desc: post.meta_description ?? '',
    is_published: isPublished && isForAll && body !== undefined,
    posted_at: secondsOf(post.published_at),
    created_at: secondsOf(post.created_at),
    updated_at: secondsOf(post.updated_at),
    address: base === undefined ? undefined : `${base}/${encodeURIComponent(slug)}/`,
    oldAddresses: isPublished && isForAll && slug !== '' ? [`/${encodeURIComponent(slug)}/`] : [],
    notes,
  }
}

const Cards = z.object({
  cards: z.array(z.tuple([z.string(), z.unknown()], z.unknown())),
  sections: z.array(z.unknown()),
})
const MarkdownCard = z.object({ markdown: z.string() })
/** In a section of mobiledoc: the section is a card, of this number. */
const CARD = z.tuple([z.literal(10), z.int()], z.unknown())

/** Undefined if no library that is kept renders what the post has. */
function bodyOf({ html, markdown, mobiledoc, lexical }: GhostPost, notes: string[]): string | undefined {
  if (html) return html
  try {
    const text = markdown || markdownIn(mobiledoc)
    if (text) return htmlOf(text)
  } catch (error) {
    notes.push(`Its Markdown cannot be shown: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
  if (!lexical && !mobiledoc) {
    notes.push('It has no text.')
    return ''
  }
  notes.push(
    `It has no HTML in the export, only the ${lexical ? 'lexical' : 'mobiledoc'} form of Ghost's editor.`,
  )
  return undefined
}

/** The text of a mobiledoc that has only cards of Markdown. */
function markdownIn(mobiledoc: string | null | undefined): string | undefined {
  const { data } = Cards.safeParse(mobiledoc ? JSON.parse(mobiledoc) : undefined)
  const texts = data?.sections.map(section => {
    const card = CARD.safeParse(section).data
    const [name, payload] = (card && data.cards[card[1]]) ?? ['']
    return /^(?:card-)?markdown$/.test(name) ? MarkdownCard.safeParse(payload).data?.markdown : undefined
  })
  return texts?.every(text => text !== undefined) ? texts.join('\n\n') : undefined
}

/** Ghost writes `__GHOST_URL__` for its own address. */
function imageOf(url: string | null | undefined, base: string | undefined): string {
  return absoluteUrl((url ?? '').replaceAll('__GHOST_URL__', base ?? ''), base)
}
